#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robust tabu search on QAPLIB: the gap to the best known value of every instance, and the mean.

  qap.py --bench BUILD/bench/perf/solver/solver_bench [--folder DIR] [--work N] [NAME ...]

The folder ($TOPOLAUNCH_SHARED/qaplib) holds NAME.dat and best_known.tsv (name, n, value). Work is a fixed
number of pairs looked at (iterations x n^2 / 2), so that a result does not depend on the machine; small
instances stop before, after 20,000 n iterations.
"""
import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", required=True)
    parser.add_argument("--folder", default=os.path.join(os.environ.get("TOPOLAUNCH_SHARED", ""), "qaplib"))
    parser.add_argument("--work", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=256, help="no instance larger than this")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    known = {}
    with open(os.path.join(options.folder, "best_known.tsv")) as table:
        for line in table:
            words = line.split("\t")
            if len(words) >= 3 and words[1].strip().isdigit():
                known[words[0]] = (int(words[1]), int(words[2]))
    names = options.names or sorted(known, key=lambda name: (known[name][0], name))
    print(f"{'instance':<10} {'n':>4} {'found':>14} {'best known':>14} {'gap %':>7} {'cpu s':>7}")
    gaps = []
    for name in names:
        size, best = known[name]
        path = os.path.join(options.folder, name + ".dat")
        if size > options.most or not os.path.exists(path):
            continue
        iterations = max(1, min(20000 * size, int(options.work / (size * size / 2))))
        done = subprocess.run([options.bench, "--qap", path, str(iterations), str(options.seed)], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name:<10} failed: {done.stderr.strip()}")
            continue
        found, seconds = done.stdout.split()
        gap = 100 * (int(found) - best) / best if best else 100.0 * (int(found) != 0)
        # Better than anybody, or (nobody is better than an optimum) another instance than the table means.
        below = gap < 0
        if not below:
            gaps.append((size, gap))
        print(f"{name:<10} {size:>4} {found:>14} {best:>14} {gap:>7.3f} {float(seconds):>7.2f}"
              + ("  left out: better than known, or another instance" if below else ""), flush=True)
    for title, part in (("n <= 30", [g for n, g in gaps if n <= 30]), ("n > 30", [g for n, g in gaps if n > 30])):
        if part:
            print(f"{title}: {len(part)} instances, mean gap {sum(part) / len(part):.3f} %, {sum(g == 0 for g in part)} at best known")


if __name__ == "__main__":
    sys.exit(main())
