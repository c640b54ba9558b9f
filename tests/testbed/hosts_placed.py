#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job over hosts from --hosts to its ranks, on a bed of namespaces: every rank is on the host that
the fabric makes best, seen from inside.

    hosts_placed.py TOPOLAUNCH

Needs root and mpirun; ends with 77 (skipped) without them or where no bed can be made.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BED = [sys.executable, str(HERE / "bed"), "--name", "placed"]
RATES = ["--link-rate", "host=200Mb/s,uplink=200Mb/s", "--bytes", "1M"]
MCA = "--mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/16 --mca mpi_yield_when_idle 1"


def bed(*words):
    return subprocess.run(BED + [str(w) for w in words], text=True, capture_output=True, timeout=150)


class Placed:
    def __init__(self, program, folder):
        self.program, self.folder, self.wrong = program, folder, []
        self.conf = folder / "topology.conf"
        self.conf.write_text(bed("slurm-topology").stdout)
        # Tells how often each host was asked, and goes by addresses as ssh does.
        self.log = folder / "asked"
        self.agent = folder / "agent"
        names = {h["address"]: h["name"] for h in json.loads(bed("info").stdout)["hosts"]}
        self.address = {name: address for address, name in names.items()}
        cases = "".join(f"{address}) host={name};; " for address, name in names.items())
        self.agent.write_text(f"#!/bin/sh\nhost=$1; shift\ncase $host in {cases}esac\n"
                              f"case $* in *__facts*) echo \"$host\" >> {self.log};; esac\n"
                              f"exec {bed('agent').stdout.strip()} \"$host\" \"$@\"\n")
        self.agent.chmod(0o755)

    def asked(self):
        lines = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return sorted(lines)

    def launch(self, *options):
        """(host by rank as the ranks say it, stderr)"""
        done = bed("exec", "head", "env", f"TOPOLAUNCH_STATE_DIR={self.folder}/state", self.program,
                   "--topology", self.conf, *RATES, "--validate", "placement", "--engine-args",
                   f"--mca plm_rsh_agent {self.agent} {MCA}", *options,
                   "--", "sh", "-c", "echo $RANK $(hostname) $LOCAL_RANK $GROUP_RANK $MASTER_ADDR")
        if done.returncode != 0:
            self.wrong.append(f"{options}: status {done.returncode}: {done.stderr}")
        ranks = {}
        for line in done.stdout.splitlines():
            words = line.split()
            ranks[int(words[0])] = words[1:]
        return [ranks[r] for r in sorted(ranks)], done.stderr

    def expect(self, what, got, wanted):
        good = got == wanted
        print(f"{'ok  ' if good else 'BAD '} {what}: {got}", flush=True)
        if not good:
            self.wrong.append(f"{what}: {got}, not {wanted}")


def check(program, folder):
    p = Placed(program, folder)
    robin = [f"placed-h0{i}" for i in (0, 3, 1, 4, 2, 5)]
    grouped = [f"placed-h0{i}" for i in range(6)]
    ranks, words = p.launch("--hosts", ",".join(robin))
    p.expect("round robin is put in order", [r[0] for r in ranks], grouped)
    p.expect("one rank a host", [(r[1], r[2]) for r in ranks], [("0", str(i)) for i in range(6)])
    p.expect("rank 0's address", ranks[0][3] if ranks else "", p.address["placed-h00"])
    p.expect("checks", "3 checks passed" in words, True)
    p.expect("each host was asked once", p.asked(), grouped)
    p.launch("--hosts", ",".join(robin))
    p.expect("a second start asks nobody", p.asked(), [])
    ranks, _ = p.launch("--hosts", ",".join(robin), "-n", "3")
    p.expect("three of six are those of one leaf", [r[0] for r in ranks], grouped[:3])
    ranks, _ = p.launch("--hosts", "placed-h03:2,placed-h00:2,placed-h04:2")
    p.expect("slots, and no gain in another order", [(r[0], r[1]) for r in ranks],
             [(f"placed-h0{h}", str(i)) for h in (3, 0, 4) for i in (0, 1)])
    hostfile = folder / "hosts"
    hostfile.write_text(f"# by address\n{p.address['placed-h01']} slots=1\nplaced-head slots=1\n")
    ranks, words = p.launch("--hosts", f"@{hostfile}")
    p.expect("by address, and this machine", [r[0] for r in ranks], ["placed-h01", "placed-head"])
    p.expect("the fabric does not name the head", "placed-head: named by no switch" in words, True)
    ranks, words = p.launch("--hosts", ",".join(robin), "--ab")
    runs = sorted((folder / "state/runs").iterdir())
    ab = json.loads((runs[-1] / "ab.json").read_text())
    p.expect("--ab: evidence of both orders", (ab["given"]["hosts"], ab["solved"]["hosts"]),
             (robin, grouped))
    p.expect("--ab: what ran", [r[0] for r in ranks], grouped if ab["runs"] == "solved" else robin)
    return p.wrong


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    if os.geteuid() != 0 or shutil.which("mpirun") is None:
        print("skipped: needs root and mpirun")
        return 77
    up = bed("up", 6, 3, "200mbit", "200mbit")
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
