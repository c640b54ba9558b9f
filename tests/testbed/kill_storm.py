#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launches that are shot at: nothing of a job may outlive it.

    kill_storm.py PROGRAM N [--seed S] [--driver]

Starts N jobs under both engines, sends SIGKILL or SIGTERM to the launcher, the keeper, a shim, a
rank or mpirun at a random moment (start-up included), and looks 5 seconds later for a live process
with the job's mark in its environment. The ranks fork twice, take a session of their own and ignore
SIGTERM. Exit status: 0, or 1 with what survived.
"""
import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import time

JOB = r"""
trap '' TERM
(setsid bash -c 'trap "" TERM; while :; do sleep 0.2; done' &)
while :; do sleep 0.2; done
"""
LIMIT = 5.0  # seconds after which nothing may be left


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def live(mark):
    """pid -> (parent, command line) of the live (not zombie) processes that carry the mark."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or mark not in read(f"/proc/{name}/environ"):
            continue
        stat = read(f"/proc/{name}/stat")
        fields = stat.rsplit(b")", 1)[1].split() if stat else [b"Z"]
        if fields[0] != b"Z":
            line = read(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode(errors="replace")
            found[int(name)] = (int(fields[1]), line)
    return found


def is_mpirun(line):
    return line.split(" ")[0].endswith("mpirun")


def victims(launcher, processes):
    kinds = collections.defaultdict(list)
    starters = {pid for pid, (_, line) in processes.items() if "__keeper" in line or is_mpirun(line)}
    for pid, (parent, line) in processes.items():
        if pid == launcher:
            kinds["launcher"].append(pid)
        elif "__keeper" in line:
            kinds["keeper"].append(pid)
        elif is_mpirun(line):
            kinds["mpirun"].append(pid)
        elif "__shim" in line:
            kinds["shim"].append(pid)
        elif parent in starters and JOB in line:
            kinds["rank"].append(pid)
    return kinds


def one(program, driver, engine, number, rng):
    mark = f"TL_STORM={os.getpid()}.{number}."
    job = ["bash", "-c", JOB]
    if driver:
        command = [program, engine, "2", "--grace", "1", "--", *job]
    else:
        command = [program, "--engine", engine, "-n", "2", "--oversubscribe", "--validate", "off",
                   "--grace", "1", "--quiet", "--", *job]
    environment = dict(os.environ, TL_STORM=mark.split("=")[1])
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    want = rng.choice(["launcher", "keeper", "shim", "rank", "mpirun"])
    number_of_signal = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
    delay = rng.uniform(0, 0.6)
    end = time.monotonic() + 5
    time.sleep(delay if want != "shim" else delay / 6)
    kind = None
    while time.monotonic() < end and process.poll() is None:
        kinds = victims(process.pid, live(mark.encode()))
        if kinds[want]:
            kind = want
        elif want in ("shim", "mpirun") and kinds["rank"] and (want == "shim" or engine == "local"):
            kind = "rank"  # too late for a shim; no mpirun under local
        if kind:
            # SIGTERM to a rank that ignores it, or to the keeper, is nothing: end the job by it all
            # the same through the launcher a moment later.
            target = rng.choice(kinds[kind])
            try:
                os.kill(target, number_of_signal)
            except ProcessLookupError:
                pass
            break
    if number_of_signal == signal.SIGTERM and kind in ("rank", "keeper", None):
        time.sleep(0.1)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    left = live(mark.encode())
    while left and time.monotonic() - begin < LIMIT:
        time.sleep(0.05)
        left = live(mark.encode())
    seconds = time.monotonic() - begin
    status = process.poll()
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)  # ours: it carries this run's mark
        except ProcessLookupError:
            pass
    if status is None:
        status = process.wait()
    wrong = []
    if left:
        wrong.append("survived: " + "; ".join(f"{p} {line[:60]!r}" for p, (_, line) in left.items()))
    if status == 0:
        wrong.append("status 0 for a job that was shot")
    return f"{engine} {signal.Signals(number_of_signal).name} to {kind or 'launcher'}", status, seconds, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("launches", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--driver", action="store_true", help="PROGRAM is the tests' engine_driver")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    engines = ["local", "mpirun"] if shutil.which("mpirun") else ["local"]
    seen, slowest, bad = collections.Counter(), 0.0, 0
    for number in range(options.launches):
        what, status, seconds, wrong = one(options.program, options.driver,
                                           engines[number % len(engines)], number, rng)
        seen[what, status] += 1
        slowest = max(slowest, seconds)
        for line in wrong:
            bad += 1
            print(f"launch {number}: {what}: {line}", flush=True)
    for (what, status), count in sorted(seen.items()):
        print(f"{count:5} {what}: status {status}")
    print(f"{options.launches} launches, {bad} wrong, slowest end {slowest:.2f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
