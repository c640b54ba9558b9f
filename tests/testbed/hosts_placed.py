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


def bed(*words, given=None):
    return subprocess.run(BED + [str(w) for w in words], text=True, capture_output=True, timeout=150,
                          input=given)


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

    def topolaunch(self, *words, given=None, fabric=True):
        """On the head: the verb, and what every one over hosts needs."""
        verb = words[:1] if words[0] == "bench" else ()
        fabric = ["--topology", self.conf, *RATES] if fabric else []
        return bed("exec", "head", "env", f"TOPOLAUNCH_STATE_DIR={self.folder}/state", self.program, *verb,
                   *fabric, "--engine-args",
                   f"--mca plm_rsh_agent {self.agent} {MCA}", *words[len(verb):], given=given)

    def last_run(self):
        return sorted((self.folder / "state/runs").iterdir())[-1]

    def launch(self, *options, fabric=True):
        """(host by rank as the ranks say it, stderr)"""
        done = self.topolaunch("--validate", "placement", *options,
                               "--", "sh", "-c", "echo $RANK $(hostname) $LOCAL_RANK $GROUP_RANK $MASTER_ADDR",
                               fabric=fabric)
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
    ab = json.loads((p.last_run() / "ab.json").read_text())
    p.expect("--ab: evidence of both orders", (ab["given"]["hosts"], ab["solved"]["hosts"]),
             (robin, grouped))
    p.expect("--ab: what ran", [r[0] for r in ranks], grouped if ab["runs"] == "solved" else robin)
    names_of_one_machine(p)
    hosts_that_have_changed(p)
    measured(p)
    return p.wrong


def names_of_one_machine(p):
    own = bed("exec", "head", "hostname", "-I").stdout.split()[0]
    ranks, words = p.launch("--hosts", f"placed-h01,localhost,placed-head,{own}")
    p.expect("names of this machine are repeats of one host", [(r[0], r[1]) for r in ranks],
             [("placed-h01", "0")] + [("placed-head", str(i)) for i in range(3)])
    p.expect("and the checks know it", "3 checks passed" in words, True)
    ranks, words = p.launch("--hosts", f"127.0.0.1,placed-head,{own}", fabric=False)
    p.expect("this machine alone", [(r[0], r[1]) for r in ranks],
             [("placed-head", str(i)) for i in range(3)])
    p.expect("checks of it", "3 checks passed" in words, True)


def hosts_that_have_changed(p):
    p.launch("--hosts", "placed-h00,placed-h04,placed-h05")
    p.asked()
    entry = p.folder / "state/hosts/placed-h04.json"
    facts = json.loads(entry.read_text())
    machine, _, network = facts["id"].split("/", 2)
    entry.write_text(json.dumps({**facts, "id": f"{machine}/another-boot/{network}"}))
    ranks, words = p.launch("--hosts", "placed-h00,placed-h04,placed-h05")
    p.expect("a host that has booted: all are asked", p.asked(), [f"placed-h0{i}" for i in (0, 4, 5)])
    p.expect("and the job runs", [r[0] for r in ranks], [f"placed-h0{i}" for i in (0, 4, 5)])
    p.expect("which is said", "host placed-h04 has booted since topolaunch asked what it is: all hosts are "
             "asked again" in words, True)
    p.launch("--hosts", "placed-h00,placed-h04,placed-h05")
    p.expect("and remembered", p.asked(), [])


def measured(p):
    hosts = ("--hosts", "placed-h00,placed-h03,placed-h01,placed-h04")
    done = p.topolaunch("--validate", "quick", *hosts, "--", "sh", "-c", "[ $RANK != 0 ] || cat", given="words\n")
    p.expect("--validate quick leaves the job its input", (done.returncode, done.stdout), (0, "words\n"))
    p.expect("and measures", "4 MiB allreduce in" in done.stderr and "none of them of the speed" in done.stderr, True)
    measurement = json.loads((p.last_run() / "measurement.json").read_text())
    p.expect("on the placement", [one["host"] for one in measurement["placement"]],
             [f"placed-h0{i}" for i in (0, 1, 3, 4)])
    one = p.topolaunch("--validate", "quick", "--hosts", "placed-h02", "-n", "2", "--oversubscribe", "--", "true")
    p.expect("also on one other host", (one.returncode, "4 MiB allreduce in" in one.stderr), (0, True))
    sizes = ("--", "-b", "64K", "-e", "128K", "-n", "2", "-w", "1")
    done = p.topolaunch("bench", *hosts, *sizes)
    rows = [line.split()[0] for line in done.stdout.splitlines() if line[:1] == " "]
    p.expect("bench over hosts", (done.returncode, rows), (0, ["65536", "131072"]))
    done = p.topolaunch("bench", "--json", *hosts, *sizes)
    ranks = json.loads(done.stdout)["placement"] if done.returncode == 0 else done.stderr
    p.expect("as JSON", [one["host"] for one in ranks], [f"placed-h0{i}" for i in (0, 1, 3, 4)])


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
