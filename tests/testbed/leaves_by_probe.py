#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `topolaunch topo --probe` find the leaves of a network? Beds of namespaces with shaped links,
equal and slower uplinks, even and uneven leaves; hosts in another order each time.

    leaves_by_probe.py TOPOLAUNCH [--seeds 20] [--hosts 8,16] [--only SUBSTRING] [--csv FILE]

Prints a line a probe: exact, unsure or WRONG, its time, and how busy the machine was; then a table.
Ends with 1 if one was wrong, or fewer than nine in ten of a bed exact (of fewer than ten: all but one).
Needs root and mpirun; ends with 77 (skipped) without them or where no bed can be made.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from bed_run import BedRun, skip_unless_possible

# hosts: leaves of the even and of the uneven bed
LEAVES = {8: ("4,4", "3,5"), 16: ("4,4,4,4", "3,4,4,5")}
HOST_RATE = 200
MCA = "--mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/16"


def beds(sizes):
    for size in sizes:
        for leaves in LEAVES[size]:
            for uplink in (HOST_RATE, HOST_RATE // 2):
                yield size, leaves, uplink


def probe(bed, program, hosts, state):
    """(topology, probe, seconds, error); the probe of an earlier order is thrown away first."""
    shutil.rmtree(state / "probes", ignore_errors=True)
    started = time.monotonic()
    status, out, err = bed.launch(
        ["env", f"TOPOLAUNCH_STATE_DIR={state}", program, "topo", "--json", "--probe", "--hosts", ",".join(hosts),
         "--engine-args", f"--mca plm_rsh_agent {bed.agent(detached=False)} {MCA}"], timeout=180)
    took = time.monotonic() - started
    if status != 0:
        return None, None, took, f"status {status}: {err.strip()}"
    kept = json.loads(next((state / "probes").iterdir()).read_text())
    return json.loads(out), kept, took, None


def outcome_of(topology, leaf_of):
    """Compares what the topology says of each host with the truth, up to the leaves' names."""
    names = [host["name"] for host in topology["hosts"]]
    said = {}
    for box in topology["fabric"]["switches"]:
        for host in box.get("hosts", []):
            said[names[host] if isinstance(host, int) else host] = box["name"]
    if not said:
        return "unsure"
    if set(said) != set(leaf_of):
        return "WRONG"
    pairs = [(a, b) for a in leaf_of for b in leaf_of if a < b]
    same = all((leaf_of[a] == leaf_of[b]) == (said[a] == said[b]) for a, b in pairs)
    return "exact" if same else "WRONG"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--hosts", default="8,16")
    parser.add_argument("--only", default="", help="beds whose name has this in it")
    parser.add_argument("--csv", help="a row a probe")
    args = parser.parse_args()
    skip_unless_possible()
    program = str(pathlib.Path(args.program).resolve())
    rows, failed = [], False
    for size, leaves, uplink in beds(int(n) for n in args.hosts.split(",")):
        name = f"{size} hosts, leaves {leaves}, uplinks {uplink} of {HOST_RATE} Mb/s"
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder, \
                BedRun(f"pr{os.getpid() % 10000}", size, leaves, f"{HOST_RATE}mbit", f"{uplink}mbit") as bed:
            leaf_of = {host["name"]: host["leaf"] for host in bed.info["hosts"]}
            counts = {"exact": 0, "unsure": 0, "WRONG": 0}
            times = []
            for seed in range(1, args.seeds + 1):
                hosts = list(bed.hosts)
                random.Random(seed).shuffle(hosts)
                topology, kept, took, error = probe(bed, program, hosts, pathlib.Path(folder))
                load = os.getloadavg()[0]
                result = "WRONG" if error else outcome_of(topology, leaf_of)
                counts[result] += 1
                times.append(took)
                what = error or (f"{kept['tournaments']} tournaments, {kept['seconds']:.1f} s of {took:.1f} s, "
                                 f"{kept['bytes_sent'] / 1e6:.0f} MB, factor {kept['ratio']:.2f}"
                                 + (f", {kept['why']}" if kept["why"] else ""))
                print(f"{name}: seed {seed:2}: {result:6} load {load:.1f}: {what}", flush=True)
                rows.append([size, leaves, uplink, seed, result, f"{took:.2f}", f"{load:.2f}",
                             kept["tournaments"] if kept else "", kept["bytes_sent"] if kept else ""])
            most = max(1, args.seeds // 10)
            good = counts["WRONG"] == 0 and counts["unsure"] <= most
            failed = failed or not good
            print(f"{'ok ' if good else 'BAD'} {name}: {counts['exact']} exact, {counts['unsure']} unsure, "
                  f"{counts['WRONG']} wrong; {sorted(times)[len(times) // 2]:.1f} s in the middle, "
                  f"{max(times):.1f} s at most", flush=True)
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["hosts", "leaves", "uplink_mbit", "seed", "result", "seconds", "load", "tournaments", "bytes"])
            out.writerows(rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
