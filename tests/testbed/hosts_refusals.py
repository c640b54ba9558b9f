#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that can't be used, on a bed of namespaces: one clear error, its status, nothing started.

    hosts_refusals.py TOPOLAUNCH

Needs root; ends with 77 (skipped) without it or where no bed can be made.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BED = [sys.executable, str(HERE / "bed"), "--name", "refuse"]


def bed(*words):
    return subprocess.run(BED + [str(w) for w in words], text=True, capture_output=True, timeout=120)


class Refusals:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.agent = bed("agent").stdout.strip()
        self.wrong = []

    def launch(self, *options, agent=None, command=None):
        started = self.folder / "started"
        words = ["exec", "head", "env", f"TOPOLAUNCH_STATE_DIR={self.folder}/state", self.program,
                 *options, "--engine-args", f"--mca plm_rsh_agent {agent or self.agent}", "--"]
        return bed(*words, *(command or ["touch", started]))

    def expect(self, what, done, status, *words):
        """Status, one line that holds all of `words`, and no rank that has run."""
        faults = [f"lacks {word!r}" for word in words if word not in done.stderr]
        lines = done.stderr.strip().splitlines()
        if done.returncode != status:
            faults.append(f"status {done.returncode}, expected {status}")
        if len(lines) != 1:
            faults.append(f"{len(lines)} lines")
        if done.stdout or (self.folder / "started").exists():
            faults.append("something ran")
        print(f"{'ok  ' if not faults else 'BAD '} {what}: {done.stderr.strip()}", flush=True)
        if faults:
            self.wrong.append(f"{what}: {'; '.join(faults)}")


def check(program, folder):
    r = Refusals(program, folder)
    hosts = ["refuse-h00", "refuse-h01", "refuse-h02"]
    r.expect("unknown host", r.launch("--hosts", "refuse-h00,refuse-h77"), 69,
             "refuse-h77: bed: no host refuse-h77", "nothing was started")
    r.expect("typo in the list", r.launch("--hosts", "refuse-h[00-02"), 64, "column 9", "'[' is not closed")
    r.expect("host twice", r.launch("--hosts", "refuse-h00:2,refuse-h01,refuse-h00:1"), 64,
             "host refuse-h00 has 1 slot here and 2 slots before")
    hostfile = folder / "hostfile"
    hostfile.write_text("refuse-h00 slots=2\n\n# again\nrefuse-h00 slots=4\n")
    r.expect("host twice in a file", r.launch("--hosts", f"@{hostfile}"), 65, "hostfile:4:",
             "4 slots here and 2 slots in line 1")
    aliased = folder / "aliased"
    aliased.write_text("refuse-h00 slots=2\n10.77.1.1 slots=4\n")
    agent = folder / "agent"
    # By address, as ssh would take it.
    agent.write_text(f"#!/bin/sh\nhost=$1; shift\n[ \"$host\" = 10.77.1.1 ] && host=refuse-h00\n"
                     f"exec {r.agent} \"$host\" \"$@\"\n")
    agent.chmod(0o755)
    r.expect("one host under two names", r.launch("--hosts", f"@{aliased}", agent=agent), 65,
             "aliased:2:", "10.77.1.1, which is refuse-h00,")
    r.expect("agent missing", r.launch("--hosts", ",".join(hosts), agent="/no/agent"), 69,
             "'/no/agent' (--engine-args) is not there")
    elsewhere = folder / "elsewhere"
    elsewhere.write_text(f"#!/bin/sh\nhost=$1; shift\n[ \"$host\" = refuse-h01 ] && set -- "
                         f"/no/topolaunch\nexec {r.agent} \"$host\" \"$@\"\n")
    elsewhere.chmod(0o755)
    r.expect("topolaunch missing there", r.launch("--hosts", ",".join(hosts), "--refresh", agent=elsewhere),
             69, "1 of 3 hosts asked can't be used: refuse-h01: topolaunch is not there")
    bed("exec", "refuse-h01", "ip", "addr", "flush", "dev", "eth0")
    r.expect("no common network", r.launch("--hosts", ",".join(hosts), "--refresh"), 69,
             "refuse-h00 and refuse-h01 have no network in common", "10.77.1.1/16 there, none here")
    bed("kill", "refuse-h02")
    r.expect("dead host", r.launch("--hosts", "refuse-h00,refuse-h02", "--refresh"), 69,
             "1 of 2 hosts asked can't be used: refuse-h02: bed: host refuse-h02 is down")
    r.expect("more ranks than slots", r.launch("--hosts", "refuse-h00:2,refuse-head:1", "-n", "4"), 79,
             "4 ranks, 3 seats")
    return r.wrong


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    if os.geteuid() != 0:
        print("skipped: needs root")
        return 77
    up = bed("up", 3, 2, "200mbit", "200mbit")
    if up.returncode != 0:
        print(f"skipped: no bed: {up.stderr.strip()}")
        return 77
    try:
        with tempfile.TemporaryDirectory() as folder:
            wrong = check(program, pathlib.Path(folder))
    finally:
        bed("down")
    for line in wrong:
        print("WRONG " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
