#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a job over hosts says and leaves behind when one part of it dies.

    kill_matrix.py ENGINE_DRIVER [--hosts 8] [VICTIM...]

Victims: launcher keeper mpirun orted host-keeper guard shim rank host link. For each a job of one
rank a host is started on a bed, whose ranks fork twice and ignore SIGTERM; the victim (on the sixth
host) is killed by SIGKILL, or the host's cable pulled. Prints status, seconds until topolaunch had
ended, what it said, and what is left on any host afterwards. The agent is one under which nothing
on a host is a child of the launcher's, as with ssh. Exit status: 0; 1 where a promise is broken: 15
seconds, the host named, nothing left; 77 where no bed can be had.
"""
import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

from bed_run import BedRun, skip_unless_possible

BED = f"km{os.getpid() % 10000:04d}"
JOB = r"""
trap '' TERM
(setsid sh -c 'trap "" TERM; while :; do sleep 0.2; done' &)
echo ready
while :; do sleep 0.2; done
"""
LIMIT = 15.0  # seconds to notice
# What topolaunch has to end with, and to name. The launcher itself can say nothing.
WANTED = {
    "launcher": (-9, None), "keeper": (70, "keeper"), "mpirun": (137, "mpirun was killed by SIGKILL"),
    "orted": (137, "HOST was killed by SIGKILL"), "host-keeper": (69, "host HOST was lost with rank 5"),
    "guard": (None, None), "shim": (69, "HOST"), "rank": (137, "rank 5 (host HOST) was killed by SIGKILL"),
    "host": (69, "host HOST was lost with rank 5"), "link": (69, "host HOST was lost with rank 5"),
}


def parent(pid):
    with contextlib.suppress(OSError):
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return 0


class Job:
    def __init__(self, bed, driver):
        self.bed = bed
        self.mark = f"BED_MARK={BED}-{time.monotonic_ns()}"
        self.host = bed.hosts[min(5, len(bed.hosts) - 1)]
        words = [driver, "mpirun", len(bed.hosts), "--on", ",".join(bed.hosts), "--grace", "10"]
        for one in ("--mca", "plm_rsh_agent", bed.agent()):
            words += ["--engine-arg", one]
        self.process = bed.start(words + ["--", "sh", "-c", JOB], dict([self.mark.split("=")]))

    def ready(self):
        for _ in self.bed.hosts:
            if self.process.stdout.readline() != b"ready\n":
                raise RuntimeError("the job did not start: " + self.process.communicate()[1].decode())
        time.sleep(0.5)

    def victim(self, kind):
        there = {pid: line for pid, (host, line) in self.bed.live(self.mark).items() if host == self.host}
        here = {pid: line for pid, (host, line) in self.bed.live(self.mark).items()
                if host == self.bed.info["head"]}
        if kind == "launcher":
            return self.process.pid
        if kind == "keeper":  # forked off the launcher, so it has the same words
            return next(pid for pid in here if parent(pid) == self.process.pid)
        if kind == "mpirun":
            return next(pid for pid, line in here.items() if line.split(" ")[0].endswith("mpirun"))
        orted = next(pid for pid, line in there.items() if line.split(" ")[0].endswith("orted"))
        if kind == "orted":
            return orted
        if kind == "host-keeper":
            return parent(orted)
        if kind == "guard":
            return parent(parent(orted))
        return next(pid for pid in there if parent(pid) == orted)

    def kill_a_shim(self):
        """A shim lives for milliseconds, unless the host's keeper is stopped and gives no order."""
        orted = self.await_on_host(lambda words: words[0].endswith(b"orted"))
        keeper = parent(orted)
        os.kill(keeper, signal.SIGSTOP)
        shim = self.await_on_host(lambda words: len(words) > 1 and words[1] == b"__shim")
        os.kill(shim, signal.SIGKILL)
        os.kill(keeper, signal.SIGCONT)

    def await_on_host(self, wanted):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            for name in os.listdir("/proc"):
                with contextlib.suppress(OSError, ValueError):
                    words = pathlib.Path(f"/proc/{int(name)}/cmdline").read_bytes().split(b"\0")
                    if wanted(words) and self.bed.host_of(name) == self.host:
                        return int(name)
        raise RuntimeError("not seen on the host: " + self.process.communicate()[1].decode())


def once(bed, driver, kind):
    """(status, seconds, words, left)"""
    job = Job(bed, driver)
    if kind == "shim":
        job.kill_a_shim()
    else:
        job.ready()
    at = time.monotonic()
    if kind == "host":
        bed.bed("kill", job.host)
    elif kind == "link":
        bed.bed("cut", job.host)
    elif kind != "shim":
        os.kill(job.victim(kind), signal.SIGKILL)
    if kind == "guard":  # nobody needs it as long as nothing else dies
        time.sleep(1)
        if job.process.poll() is not None:
            raise RuntimeError("the job ended: " + job.process.communicate()[1].decode())
        job.process.kill()
    try:
        _, err = job.process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        job.process.kill()
        return "hangs", 60.0, "", bed.left(job.mark, 5), 0.0
    if kind == "guard":
        at += 1
    seconds = time.monotonic() - at
    ended = time.monotonic()
    left = bed.left(job.mark, 15 if kind == "link" else 5)
    words = [line for line in err.decode(errors="replace").splitlines() if line.startswith("topolaunch: ")]
    return job.process.returncode, max(seconds, time.monotonic() - at if kind in ("launcher", "guard")
                                       else seconds), (words or [""])[0][12:], left, time.monotonic() - ended


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("victims", nargs="*", metavar="VICTIM")
    options = parser.parse_args()
    skip_unless_possible()
    broken = []
    print(f"{'killed':<12} {'status':>6} {'seconds':>7} {'then gone':>9} {'left':>4}  said", flush=True)
    for kind in options.victims or WANTED:
        with BedRun(BED, options.hosts, 4) as bed:
            status, seconds, words, left, gone = once(bed, options.driver.resolve(), kind)
            host = bed.hosts[min(5, options.hosts - 1)]
        print(f"{kind:<12} {status:>6} {seconds:7.1f} {gone:9.1f} {len(left):>4}  {words}", flush=True)
        wanted, named = WANTED[kind]
        if wanted is not None and status != wanted:
            broken.append(f"{kind}: status {status}, not {wanted}")
        if named is not None and named.replace("HOST", host) not in words:
            broken.append(f"{kind}: '{named.replace('HOST', host)}' is not said")
        if seconds > LIMIT:
            broken.append(f"{kind}: noticed after {seconds:.1f} s")
        if left:
            broken.append(f"{kind}: left behind: {left}")
    for one in broken:
        print("BROKEN: " + one)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
