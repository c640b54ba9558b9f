# SPDX-License-Identifier: Apache-2.0
"""A bed for a test: up, commands on its head, what is left on its hosts, down.

    with BedRun("name", 4, "2") as bed:
        done = bed.launch([PROGRAM, ...])
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def skip_unless_possible():
    """Ends the test as skipped where a bed, or mpirun, can't be had."""
    for what, there in (("root", os.geteuid() == 0), ("iproute2 (ip)", shutil.which("ip")),
                        ("iproute2 (tc)", shutil.which("tc")), ("nsenter", shutil.which("nsenter")),
                        ("Open MPI (mpirun)", shutil.which("mpirun"))):
        if not there:
            print(f"skipped: needs {what}")
            sys.exit(77)
    probe = subprocess.run(["unshare", "--net", "--uts", "--pid", "--fork", "true"], capture_output=True)
    if probe.returncode != 0:
        print("skipped: namespaces can't be made here: " + probe.stderr.decode().strip())
        sys.exit(77)


class BedRun(contextlib.AbstractContextManager):
    def __init__(self, name, hosts, per_leaf, host_rate="1gbit", uplink_rate="1gbit"):
        self.name = name
        self.shape = [str(hosts), str(per_leaf), host_rate, uplink_rate]

    def bed(self, *words, check=True):
        done = subprocess.run([HERE / "bed", "--name", self.name, *words], text=True, capture_output=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"bed {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def __enter__(self):
        self.bed("down", check=False)
        self.bed("up", *self.shape)
        self.info = json.loads(self.bed("info"))
        self.hosts = [host["name"] for host in self.info["hosts"]]
        self.addresses = {host["name"]: host["address"] for host in self.info["hosts"]}
        self.head_address = "10.77.0.1"  # as tests/testbed/bed gives it
        self.pids = {name: int(pathlib.Path(f"/run/topolaunch-bed/{self.name}/{name}.pid").read_text())
                     for name in self.hosts + [self.info["head"]]}
        return self

    def __exit__(self, *_):
        self.bed("down", check=False)

    def agent(self, detached=True):
        return self.bed("agent", *(["--detached"] if detached else []))

    def start(self, command, environment=None, **options):
        """Popen of `command` on the bed's head."""
        variables = dict(os.environ, **(environment or {}))
        return subprocess.Popen([HERE / "bed", "--name", self.name, "exec", "head", *map(str, command)],
                                env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                **{"stdin": subprocess.DEVNULL, **options})

    def launch(self, command, environment=None, given=b"", timeout=90):
        """Runs `command` on the head to its end: (status, stdout, stderr)."""
        process = self.start(command, environment, stdin=subprocess.PIPE)
        out, err = process.communicate(given, timeout=timeout)
        return process.returncode, out, err.decode(errors="replace")

    def host_of(self, pid):
        """The bed's host whose PID namespace `pid` is in; the head for all others."""
        with contextlib.suppress(OSError):
            mine = os.readlink(f"/proc/{pid}/ns/pid")
            for name, init in self.pids.items():
                with contextlib.suppress(OSError):
                    if name != self.info["head"] and os.readlink(f"/proc/{init}/ns/pid") == mine:
                        return name
        return self.info["head"]

    def live(self, mark):
        """pid -> (host, command line) of the live processes that carry `mark` in their environment."""
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            with contextlib.suppress(OSError):
                if mark.encode() not in pathlib.Path(f"/proc/{name}/environ").read_bytes():
                    continue
                if pathlib.Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                    continue
                line = pathlib.Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(name)] = (self.host_of(name), line)
        return found

    def left(self, mark, seconds):
        """What still carries the mark after `seconds` at most; empty as soon as nothing does."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.live(mark)
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.05)
