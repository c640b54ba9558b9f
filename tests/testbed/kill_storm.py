#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launches that are shot at: nothing of a job may outlive it.

    kill_storm.py PROGRAM N [--seed S] [--driver] [--quota]

Starts N jobs under both engines, sends SIGKILL or SIGTERM to the launcher, the keeper, a shim, a
rank or mpirun at a random moment (start-up included), and looks 5 seconds later for a live process
with the job's mark in its environment. The ranks fork twice, take a session of their own and ignore
SIGTERM. With --quota every launch draws on one grant of a ledger of its own, whose sums must be
exact afterwards. Exit status: 0, or 1 with what survived.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
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
    """pid -> (parent, process group, command line) of the live processes that carry the mark."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or mark not in read(f"/proc/{name}/environ"):
            continue
        stat = read(f"/proc/{name}/stat")
        fields = stat.rsplit(b")", 1)[1].split() if stat else [b"Z"]
        if fields[0] != b"Z":
            line = read(f"/proc/{name}/cmdline").replace(b"\0", b" ").decode(errors="replace")
            if read(f"/proc/{name}/comm").strip() == b"topolaunch-keep":  # forked, with the same line
                line = "__keeper"
            found[int(name)] = (int(fields[1]), int(fields[2]), line)
    return found


def is_mpirun(line):
    return line.split(" ")[0].endswith("mpirun") and "__shim" in line  # not `mpirun --version`


def victims(launcher, processes):
    kinds = collections.defaultdict(list)
    starters = {pid for pid, (_, _, line) in processes.items() if "__keeper" in line or is_mpirun(line)}
    for pid, (parent, group, line) in processes.items():
        if pid == launcher:
            kinds["launcher"].append(pid)
        elif "__keeper" in line:
            kinds["keeper"].append(pid)
        elif is_mpirun(line):
            kinds["mpirun"].append(pid)
        elif "__shim" in line:
            kinds["shim"].append(pid)
        # A rank leads its group. What it forks looks like it until it execs, also below the keeper.
        elif parent in starters and JOB in line and group == pid:
            kinds["rank"].append(pid)
    return kinds


class Quota:
    """A ledger and a token in a folder of their own."""

    GPUS = 2  # of a machine that is described, not there: what is charged doesn't depend on it

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.environment = dict(os.environ, XDG_STATE_HOME=f"{folder}/state",
                                XDG_CONFIG_HOME=f"{folder}/config")
        self.ask("keygen", "--out", f"{folder}/keys", "--trust")
        self.token = f"{folder}/storm.token"
        self.ask("issue", "--key", f"{folder}/keys/issuer.key.jwk", "--subject", "storm", "--team",
                 "storm", "--gpus", "64", "--gpu-seconds", "100000000", "--out", self.token)

    def ask(self, *words):
        return subprocess.run([self.program, "quota", *words], env=self.environment, check=True,
                              capture_output=True, text=True).stdout

    def options(self):
        return ["--topology", f"synthetic:1 host, {self.GPUS} gpu h100", "--quota-token", self.token,
                "--time-limit", "60"]

    def wrong(self):
        """What does not add up once every launcher is dead."""
        # A launch that is charged ends what dead launchers have left open.
        subprocess.run([self.program, *self.options(), "--validate", "off", "--quiet", "-n", "2",
                        "--", "true"], env=self.environment, check=True)
        grant = json.loads(self.ask("balance", "--json"))["grants"][0]
        runs = json.loads(self.ask("usage", "--by", "run", "--json"))["runs"]
        history = self.ask("history")
        open_runs = [r for r in runs if r["state"] in ("RESERVED", "RUNNING", "LOST")]
        checks = {
            "spent is the sum of the runs": grant["spent"] == sum(r["spent"] for r in runs),
            "held is the sum of the runs": grant["held"] == sum(r["held"] for r in runs),
            "nothing is held by the dead": not open_runs and grant["gpus_in_use"] == 0,
            "no run is charged more than its hold": all(
                r["spent"] <= r["gpus"] * r["wall_seconds"] for r in runs),
            "the journal is intact": "journal intact" in history,
        }
        states = collections.Counter(r["state"] for r in runs)
        print(f"ledger: {len(runs)} runs, {grant['spent']} GPU-seconds charged, {grant['held']} held; "
              + ", ".join(f"{count} {state}" for state, count in sorted(states.items())))
        return [f"ledger: not so: {check}" for check, holds in checks.items() if not holds]


def one(program, driver, engine, number, rng, quota):
    mark = f"TL_STORM={os.getpid()}.{number}."
    job = ["bash", "-c", JOB]
    if driver:
        command = [program, engine, "2", "--grace", "1", "--", *job]
    else:
        command = [program, "--engine", engine, "-n", "2", "--oversubscribe", "--validate", "off",
                   "--grace", "1", "--quiet", *(quota.options() if quota else []), "--", *job]
    environment = dict(quota.environment if quota else os.environ, TL_STORM=mark.split("=")[1])
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    want = rng.choice(["launcher", "keeper", "shim", "rank", "mpirun"])
    number_of_signal = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
    delay = rng.uniform(0, 0.6)
    end = time.monotonic() + 60  # a busy machine takes its time to start mpirun
    time.sleep(delay if want != "shim" else delay / 6)
    kind = None
    while time.monotonic() < end and process.poll() is None:
        kinds = victims(process.pid, live(mark.encode()))
        if kinds[want]:
            kind = want
        elif want in ("shim", "mpirun") and kinds["rank"] and (want == "shim" or engine == "local"):
            kind = "rank"  # too late for a shim; no mpirun under local
        if kind:
            # SIGTERM to a rank that ignores it (or to a shim that has just become one), or to the
            # keeper, is nothing: end the job by it all the same through the launcher a moment later.
            try:
                os.kill(rng.choice(kinds[kind]), number_of_signal)
            except ProcessLookupError:
                kind = None  # it has ended by itself meanwhile: another one
                continue
            break
    if kind is None and process.poll() is None:
        number_of_signal = signal.SIGKILL
        process.kill()
    if number_of_signal == signal.SIGTERM and kind in ("rank", "shim", "keeper", None):
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
    again = left
    while again:
        for pid in again:
            try:
                os.kill(pid, signal.SIGKILL)  # ours: it carries this run's mark
            except ProcessLookupError:
                pass
        again = live(mark.encode())
    if status is None:
        status = process.wait()
    wrong = []
    if left:
        wrong.append("survived: " + "; ".join(f"{p} {line[:60]!r}" for p, (_, _, line) in left.items()))
    if status == 0:
        wrong.append("status 0 for a job that was shot")
    return f"{engine} {signal.Signals(number_of_signal).name} to {kind or 'launcher'}", status, seconds, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("launches", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--driver", action="store_true", help="PROGRAM is the tests' engine_driver")
    parser.add_argument("--quota", action="store_true", help="charge every launch to a grant")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quota = Quota(options.program, folder) if options.quota else None
        return storm(options, quota)


def storm(options, quota):
    rng = random.Random(options.seed)
    engines = ["local", "mpirun"] if shutil.which("mpirun") else ["local"]
    seen, slowest, bad = collections.Counter(), 0.0, 0
    for number in range(options.launches):
        what, status, seconds, wrong = one(options.program, options.driver,
                                           engines[number % len(engines)], number, rng, quota)
        seen[what, status] += 1
        slowest = max(slowest, seconds)
        for line in wrong:
            bad += 1
            print(f"launch {number}: {what}: {line}", flush=True)
    for line in quota.wrong() if quota else []:
        bad += 1
        print(line)
    for (what, status), count in sorted(seen.items()):
        print(f"{count:5} {what}: status {status}")
    print(f"{options.launches} launches, {bad} wrong, slowest end {slowest:.2f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
