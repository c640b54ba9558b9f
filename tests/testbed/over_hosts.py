#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Engine mpirun over the hosts of a small bed: what every job there is promised.

    over_hosts.py ENGINE_DRIVER [CASE...]

The agent is one under which nothing on a host is a child of the launcher's, as with ssh. Exit
status: 0, 1 with what went wrong, 77 where no bed can be had.
"""
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from bed_run import BedRun, skip_unless_possible

BED = f"oh{os.getpid() % 10000:04d}"


class Wrong(Exception):
    pass


def expect(holds, *what):
    if not holds:
        raise Wrong(" ".join(str(one) for one in what))


class Cases:
    def __init__(self, bed, driver, folder):
        self.bed, self.driver, self.folder = bed, driver, folder
        self.mark = 0

    def command(self, ranks_on, options, command, agent=None):
        ranks_on = [self.bed.hosts[h] if isinstance(h, int) else h for h in ranks_on]
        self.summary = self.folder / f"summary{self.mark}.json"
        words = [self.driver, "mpirun", len(ranks_on), "--on", ",".join(ranks_on), "--summary", self.summary]
        for one in ("--mca", "plm_rsh_agent", agent or self.bed.agent()):
            words += ["--engine-arg", one]
        return words + list(options) + ["--"] + command

    def variables(self):
        self.mark += 1
        return {"BED_MARK": f"{BED}-{self.mark}"}

    def run(self, ranks_on, command, options=(), given=b"", environment=None, folder="/", **more):
        variables = self.variables()
        started = time.monotonic()
        words = ["sh", "-c", 'cd "$0" && exec "$@"', folder]  # bed exec begins in /
        status, out, err = self.bed.launch(words + self.command(ranks_on, options, command, **more),
                                           {**variables, **(environment or {})}, given)
        self.seconds = time.monotonic() - started
        self.told = json.loads(self.summary.read_text()) if self.summary.exists() else None
        left = self.bed.left("BED_MARK=" + variables["BED_MARK"], 5)
        expect(not left, "left behind:", left)
        return status, out.decode(errors="replace"), err

    # ---- the promises

    def ranks_are_where_the_plan_says(self):
        plan = [2, 0, 2, 3]
        status, out, err = self.run(plan, ["sh", "-c", "echo $RANK $(hostname)"])
        expect(status == 0, status, err)
        want = sorted(f"{r} {self.bed.hosts[h]}" for r, h in enumerate(plan))
        expect(sorted(out.splitlines()) == want, out, err)
        seen = self.told["observations"]
        expect([one["host"] for one in seen] == [self.bed.hosts[h] for h in plan], seen)
        expect(all(one["problems"] == [] for one in seen), seen)

    def the_head_may_be_one_of_the_hosts(self):
        status, out, err = self.run([1, self.bed.info["head"], 0], ["sh", "-c", "echo $RANK $(hostname)"])
        want = [f"0 {self.bed.hosts[1]}", f"1 {self.bed.info['head']}", f"2 {self.bed.hosts[0]}"]
        expect(status == 0 and sorted(out.splitlines()) == want, out, err)

    def a_host_may_be_called_by_its_address(self):
        status, out, err = self.run([self.bed.addresses[self.bed.hosts[1]]], ["hostname"])
        expect(status == 0 and out == self.bed.hosts[1] + "\n", status, out, err)
        expect(self.told["observations"][0]["problems"] == [], self.told)

    def the_ranks_meet_on_the_host_of_rank_0(self):
        status, out, err = self.run([3, 1], ["sh", "-c", "echo $MASTER_ADDR $MASTER_PORT"])
        expect(status == 0, status, err)
        lines = set(out.splitlines())
        expect(len(lines) == 1, lines)
        address, port = lines.pop().split()
        expect(address == self.bed.addresses[self.bed.hosts[3]] and 0 < int(port) < 65536, address, port)

    def the_users_meeting_place_stands_where_it_can(self):
        host = self.bed.hosts[3]
        status, out, err = self.run([3, 1], ["sh", "-c", "echo $MASTER_ADDR:$MASTER_PORT"],
                                    environment={"MASTER_ADDR": host, "MASTER_PORT": "29511"})
        expect(status == 0 and out == f"{host}:29511\n" * 2, status, out, err)
        status, out, err = self.run([3, 1], ["sh", "-c", "echo $MASTER_ADDR:$MASTER_PORT"],
                                    environment={"MASTER_ADDR": "localhost", "MASTER_PORT": "29511"})
        expect(status == 0 and out == f"{self.bed.addresses[host]}:29511\n" * 2, status, out, err)
        expect(f"MASTER_ADDR=localhost can't be had on rank 0's host {host}" in err, err)

    def environment_and_folder_go_along_and_secrets_do_not(self):
        status, out, err = self.run(
            [1], ["sh", "-c", "pwd; env"],
            folder=self.folder,
            environment={"VIRTUAL_ENV": "/opt/venv", "A_WORD": "two\nlines \xe9", "MY_API_KEY": "sesame"})
        expect(status == 0, status, err)
        expect(out.startswith(f"{self.folder}\n"), out)
        expect("VIRTUAL_ENV=/opt/venv\n" in out and "A_WORD=two\nlines \xe9\n" in out, out)
        expect("TOPOLAUNCH_CONTROL" not in out and "sesame" not in out, out)
        status, out, err = self.run([1], ["sh", "-c", "echo $MY_API_KEY"],
                                    environment={"MY_API_KEY": "sesame", "TOPOLAUNCH_FORWARD": "X,MY_*"})
        expect(status == 0 and out == "sesame\n", status, out, err)

    def stdin_goes_to_rank_0_alone(self):
        text = b"x" * 300_000 + b"\nend"
        status, out, err = self.run([1, 0], ["sh", "-c", "echo $RANK $(wc -c)"], given=text)
        expect(status == 0 and sorted(out.split("\n")) == ["", f"0 {len(text)}", "1 0"], out[:200], err)

    def output_comes_whole_byte_for_byte_and_tagged(self):
        status, out, err = self.run([0, 1, 1], ["sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' $RANK; echo"])
        expect(status == 0 and sorted(out.split("\n")) == [""] + [str(r) * 1000000 for r in range(3)],
               len(out), err)
        logs = self.folder / "logs"
        status, out, err = self.run([0, 1], ["sh", "-c", "printf 'a\\0b\\377\\nend'; echo oops >&2"],
                                    ["--tag", "--log-dir", logs])
        for rank in (0, 1):
            expect((logs / f"rank-{rank}.out").read_bytes() == b"a\0b\xff\nend", rank)
            expect((logs / f"rank-{rank}.err").read_bytes() == b"oops\n", rank)
            expect(f"[{rank}] oops" in err, err)

    def the_first_failing_rank_is_named_with_its_host(self):
        status, _, err = self.run([0, 1, 2], ["sh", "-c", "[ $RANK = 1 ] && exit 7; exec sleep 300"],
                                  ["--grace", "3"])
        expect(status == 7, status, err)
        expect(f"rank 1 (host {self.bed.hosts[1]}) exited with status 7" in err, err)
        expect(self.told["first_failure"]["rank"] == 1 and self.told["ended_by"] == "job", self.told)
        status, _, err = self.run([0, 1], ["sh", "-c", "[ $RANK = 1 ] && kill -SEGV $$; exec sleep 300"],
                                  ["--grace", "3"])
        expect(status == 139 and f"rank 1 (host {self.bed.hosts[1]}) was killed by SIGSEGV" in err, status, err)

    def signals_and_the_time_limit_reach_every_host(self):
        script = "trap 'echo usr1 $RANK; exit 0' USR1; echo ready; while :; do sleep 0.05; done"
        process = self.bed.start(self.command([0, 1], [], ["sh", "-c", script]), self.variables())
        for _ in range(2):
            expect(process.stdout.readline() == b"ready\n", "not ready")
        self.to_launcher(process, signal.SIGUSR1)
        out, err = process.communicate(timeout=30)
        expect(process.returncode == 0 and sorted(out.split()) == sorted(b"usr1 0 usr1 1".split()), out, err)
        status, _, err = self.run([0, 1], ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"],
                                  ["--limit", "0.3", "--grace", "0.5"])
        expect(status == 124 and self.told["ended_by"] == "time_limit", status, err)

    def to_launcher(self, process, number):
        """`bed exec` becomes nsenter, and that the launcher."""
        os.kill(process.pid, number)

    def a_killed_launcher_leaves_nothing_on_any_host(self):
        variables = self.variables()
        script = ("trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do sleep 0.1; done' &); echo ready; "
                  "while :; do sleep 0.1; done")
        process = self.bed.start(self.command([0, 1, 1], [], ["sh", "-c", script]), variables)
        for _ in range(3):
            expect(process.stdout.readline() == b"ready\n", "not ready")
        mark = "BED_MARK=" + variables["BED_MARK"]
        expect(len({host for host, _ in self.bed.live(mark).values()}) == 3, "two hosts and the head")
        process.kill()
        left = self.bed.left(mark, 5)
        process.communicate()
        expect(not left, "left behind:", left)

    def what_cannot_start_is_named(self):
        status, _, err = self.run([0, 1], ["/no/such/program"])
        expect(status == 127 and "/no/such/program" in err, status, err)
        status, _, err = self.run([0], ["true"], agent="/no/such/agent")
        expect(status == 69 and "'/no/such/agent'" in err, status, err)
        status, _, err = self.run([0, f"{BED}-h09"], ["true"])
        expect(status == 69 and f"host {BED}-h09" in err, status, err)
        # A host on which topolaunch isn't there: its folder is covered.
        self.bed.bed("exec", self.bed.hosts[3], "mount", "-t", "tmpfs", "tmpfs", str(self.driver.parent))
        status, _, err = self.run([0, 3], ["true"])
        self.bed.bed("exec", self.bed.hosts[3], "umount", str(self.driver.parent))
        expect(status == 69 and f"host {self.bed.hosts[3]}" in err and "same path" in err, status, err)

    def no_common_network_is_said(self):
        host, head = self.bed.hosts[3], self.bed.head_address
        self.bed.bed("exec", host, "ip", "route", "add", "unreachable", head)
        status, _, err = self.run([0, 3], ["true"])
        self.bed.bed("exec", host, "ip", "route", "del", "unreachable", head)
        expect(status == 69 and f"nothing was started on host {host}" in err, status, err)
        expect(f"host {host}: topolaunch can't be reached at port" in err and f"{head} (No route" in err, err)

    def a_version_of_open_mpi_that_nobody_knows_is_tried_and_said(self):
        fake = self.folder / "mpirun"
        fake.write_text("#!/bin/sh\n[ \"$1\" = --version ] && { echo 'mpirun (Open MPI) 3.1.6'; exit; }\n"
                        f"exec {shutil.which('mpirun')} \"$@\"\n")
        fake.chmod(0o755)
        status, out, err = self.run([1, 0], ["hostname"],
                                    environment={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        expect(status == 0 and sorted(out.split()) == self.bed.hosts[:2], status, out, err)
        expect("mpirun is Open MPI 3.1.6, which topolaunch doesn't know" in err, err)

    def a_dead_host_is_named(self):
        self.bed.bed("kill", self.bed.hosts[2])
        status, _, err = self.run([0, 2], ["true"])
        expect(status == 69 and f"host {self.bed.hosts[2]}" in err, status, err)


def main():
    skip_unless_possible()
    driver = pathlib.Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, BedRun(BED, 4, "2") as bed:
        cases = Cases(bed, driver, pathlib.Path(folder))
        names = [name for name, value in vars(Cases).items()
                 if callable(value) and name not in ("__init__", "command", "variables", "run", "to_launcher")]
        for name in names:
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            started = time.monotonic()
            try:
                getattr(cases, name)()
                print(f"ok      {name} ({time.monotonic() - started:.1f} s)", flush=True)
            except Wrong as wrong:
                failed += 1
                print(f"FAILED  {name}: {wrong}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
