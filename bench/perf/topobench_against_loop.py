#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds topobench's p50 against an independent MPI_Allreduce loop, interleaved.

    bench/perf/topobench_against_loop.py BUILD_FOLDER [--rounds 21] [--sizes 1024,65536,1048576]
                                         [--realtime]

On a machine that others use, times of microseconds are the scheduler's: --realtime (as root; chrt) lets
both programs go before the others. The load is printed beside the figures.

Each round runs both once per size, in alternating order, on the same cores; the table shows the
median over rounds of each one's median over iterations, the ratio, and how far the rounds of one
program scatter by themselves (half the distance between quartiles over the median): a ratio closer
to 1 than the scatter says that the two agree. It never fails on a time.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1")


def mpirun(realtime, ranks, *command):
    before = ["chrt", "-f", "1"] if realtime else []
    return subprocess.run([*before, "mpirun", "-n", str(ranks), "--bind-to", "core", *map(str, command)],
                          env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", default="8,1024,16384,262144,1048576,4194304")
    parser.add_argument("--realtime", action="store_true")
    a = parser.parse_args()
    topobench, loop = a.build / "bench/topobench", a.build / "bench/allreduce_loop"

    def by_topobench(size):
        out = mpirun(a.realtime, a.ranks, topobench, "-b", size, "-e", size, "-n", a.iterations, "-w", 5, "-c", 0,
                     "--subject", "mpi", "--json", "-")
        return json.loads(out)["results"][0]["out_of_place"]["p50_seconds"]

    def by_loop(size):
        return float(mpirun(a.realtime, a.ranks, loop, size, a.iterations, 5).split()[1])

    print(f"{'size':>10} {'loop us':>10} {'topobench us':>13} {'ratio':>7} {'scatter':>8} {'load':>5}")
    for size in map(int, a.sizes.split(",")):
        times = {by_loop: [], by_topobench: []}
        for turn in range(a.rounds):
            for program in (by_loop, by_topobench) if turn % 2 else (by_topobench, by_loop):
                times[program].append(program(size))
        ours, theirs = (statistics.median(times[p]) for p in (by_topobench, by_loop))
        quartiles = statistics.quantiles(times[by_loop], n=4) if a.rounds > 1 else [0, 0, 0]
        scatter = (quartiles[2] - quartiles[0]) / 2 / theirs
        print(f"{size:>10} {theirs * 1e6:>10.2f} {ours * 1e6:>13.2f} {ours / theirs:>7.3f} "
              f"{scatter:>7.1%} {os.getloadavg()[0]:>6.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
