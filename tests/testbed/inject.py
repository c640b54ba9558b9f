#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inject: does validation name what is slow, and nobody where nothing is?

  inject.py TOPOBENCH TOPOLAUNCH [--hosts 16] [--per-leaf 4] [--trials 10] [--clean 20]

Starts a bed of hosts (tests/testbed/bed), puts one fault into it, lets topobench measure every pair of
hosts and `topolaunch validate --measured` say who it was. Another host or leaf each trial. Faults:
  link      a host's link at half its rate
  uplink    a leaf's uplink at half its rate
  throttle  a host whose processes get a tenth of a CPU (cgroup quota)
  clean     none: whoever is named is a false alarm
Prints a line a trial, then the table of hits, misses and false alarms; exits with 1 if a fault was
missed or somebody was named who was not at fault. Needs root, mpirun and iproute2.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BED = HERE / "bed"
BURST, LIMIT = "256kb", "2mb"  # as the bed's


def cpu_groups():
    """Where groups with a CPU quota can be made: cgroup v1's cpu controller, or v2 where it is on."""
    for line in open("/proc/self/mountinfo"):
        fields = line.split()
        dash = fields.index("-")
        mount = pathlib.Path(fields[4])
        if fields[dash + 1] == "cgroup" and "cpu" in fields[dash + 3].split(","):
            return mount
        if fields[dash + 1] == "cgroup2" and "cpu" in (mount / "cgroup.subtree_control").read_text().split():
            return mount
    sys.exit("inject: no cgroup with a CPU controller can be made here")


class Bed:
    def __init__(self, name, hosts, per_leaf, rate):
        self.name, self.rate = name, rate
        self.uplink = rate * 2  # oversubscribed, as fabrics are
        self.call("up", str(hosts), str(per_leaf), f"{rate}mbit", f"{self.uplink}mbit")
        self.conf = json.loads(self.call("info"))
        self.agent = self.call("agent").strip()
        self.slow_group = cpu_groups() / f"topolaunch-bed-{name}-slow"

    def call(self, *words):
        done = subprocess.run([str(BED), "--name", self.name, *words], text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"inject: bed {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def down(self):
        self.call("down")
        for _ in range(50):
            try:
                if self.slow_group.exists():
                    self.slow_group.rmdir()
                return
            except OSError:
                time.sleep(0.1)

    def link(self, host, share):
        self.call("rate", host, f"{int(self.rate * share)}mbit")

    def leaf(self, leaf, share):
        for end in ("up", "dn"):
            subprocess.run(["tc", "-n", f"{self.name}-fabric", "qdisc", "change", "dev", f"{end}{leaf}", "root",
                            "tbf", "rate", f"{int(self.uplink * share)}mbit", "burst", BURST, "limit", LIMIT],
                           check=True)

    def throttle(self, quota):
        """A group for the throttled host's ranks; None takes the limit off."""
        self.slow_group.mkdir(exist_ok=True)
        if (self.slow_group / "cpu.max").exists():
            (self.slow_group / "cpu.max").write_text("max 100000" if quota is None else f"{quota} 100000")
        else:
            (self.slow_group / "cpu.cfs_quota_us").write_text("-1" if quota is None else str(quota))

    def measure(self, topobench, json_file, throttled):
        """topobench --pairs over all hosts, from the head; ranks learn their leaf as topolaunch tells it."""
        leaves = "\n".join(f"{h['name']}) TOPOLAUNCH_LEAF=leaf{h['leaf']} ;;" for h in self.conf["hosts"])
        join = f'[ "$(hostname)" = {throttled} ] && echo $$ > {self.slow_group}/cgroup.procs\n' if throttled else ""
        with tempfile.TemporaryDirectory() as folder:
            start = pathlib.Path(folder) / "start"
            start.write_text(f"#!/bin/sh\n{join}case $(hostname) in\n{leaves}\nesac\nexport TOPOLAUNCH_LEAF\n"
                             'exec "$@"\n')
            start.chmod(0o755)
            hostfile = pathlib.Path(folder) / "hosts"
            hostfile.write_text("".join(f"{h['name']} slots=1\n" for h in self.conf["hosts"]))
            count = len(self.conf["hosts"])
            command = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun",
                       "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", self.agent,
                       "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1",
                       "--mca", "btl_tcp_if_include", "10.77.0.0/16", "--mca", "oob_tcp_if_include", "10.77.0.0/16",
                       "--mca", "mpi_yield_when_idle", "1", "--hostfile", str(hostfile), "--nolocal",
                       "--bind-to", "none", "-np", str(count), str(start), topobench, "-q", "-b", "64K", "-e", "64K",
                       "-n", "3", "-w", "1", "-T", "60", "--pairs", "one-way,concurrent,latency,local",
                       "--pair-bytes", "256K", "--json", json_file]
            done = subprocess.run([str(BED), "--name", self.name, "exec", "head", *command], text=True,
                                  capture_output=True, timeout=900)
        if done.returncode != 0:
            sys.exit(f"inject: topobench ended with {done.returncode}: {done.stderr[-2000:]}")


def named(topolaunch, json_file):
    """Suspects of the checks that failed."""
    done = subprocess.run([topolaunch, "validate", "--json", "--measured", json_file], text=True,
                          capture_output=True)
    checks = json.loads(done.stdout)["checks"]
    return [(c["suspect"], c.get("confidence", 0)) for c in checks
            if c["name"] == "pairs" and c["verdict"] == "fail"]


def main():
    parser = argparse.ArgumentParser(prog="inject", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topobench")
    parser.add_argument("topolaunch")
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--per-leaf", type=int, default=4)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--clean", type=int, default=20)
    parser.add_argument("--rate", type=int, default=100, help="of a host's link, Mbit/s")
    parser.add_argument("--only", default="link,uplink,throttle,clean")
    parser.add_argument("--keep", help="folder for the measurements")
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("inject: needs root (namespaces, cgroups)")
    rng = random.Random(1)
    bed = Bed(f"in{os.getpid() % 10000}", args.hosts, args.per_leaf, args.rate)
    table = {}
    try:
        leaves = len(bed.conf["leaves"])
        trials = [(fault, t) for fault in args.only.split(",")
                  for t in range(args.clean if fault == "clean" else args.trials)]
        for fault, trial in trials:
            host = rng.choice(bed.conf["hosts"])["name"]
            leaf = rng.randrange(leaves)
            at_fault = {"link": f"link of host {host}", "uplink": f"uplink of leaf leaf{leaf}",
                        "throttle": f"host {host}", "clean": None}[fault]
            if fault == "link":
                bed.link(host, 0.5)
            elif fault == "uplink":
                bed.leaf(leaf, 0.5)
            elif fault == "throttle":
                bed.throttle(10000)
            with tempfile.TemporaryDirectory() as folder:
                file = str(pathlib.Path(args.keep or folder) / f"{fault}-{trial}.json")
                bed.measure(args.topobench, file, host if fault == "throttle" else None)
                suspects = named(args.topolaunch, file)
            if fault == "link":
                bed.link(host, 1)
            elif fault == "uplink":
                bed.leaf(leaf, 1)
            elif fault == "throttle":
                bed.throttle(None)
            row = table.setdefault(fault, {"trials": 0, "hits": 0, "misses": 0, "false": 0})
            row["trials"] += 1
            hit = any(name == at_fault for name, _ in suspects)
            row["hits"] += 1 if hit else 0
            row["misses"] += 1 if at_fault and not hit else 0
            row["false"] += sum(1 for name, _ in suspects if name != at_fault)
            words = ", ".join(f"{name} ({confidence:.2f})" for name, confidence in suspects) or "nobody"
            print(f"{fault:9} {trial:3}  at fault: {at_fault or 'nobody'}; named: {words}", flush=True)
    finally:
        bed.down()
    print(f"\n{'fault':9} {'trials':>6} {'hits':>6} {'misses':>6} {'false alarms':>12}")
    for fault, row in table.items():
        print(f"{fault:9} {row['trials']:6} {row['hits']:6} {row['misses']:6} {row['false']:12}")
    sys.exit(1 if any(row["misses"] or row["false"] for row in table.values()) else 0)


if __name__ == "__main__":
    main()
