#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What topolaunch costs: medians of interleaved runs against bare mpirun.

    bench/perf/launch_overhead.py BUILD_FOLDER [--runs 21]

Prints a table with the difference and the ratio to `mpirun -n 2 true`. The limits that the project
set itself are in the last column; this prints whether they hold and exits with 0 all the same
(times belong to a machine, not to a test), unless a command fails or --limits is given.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--limits", action="store_true", help="exit with 1 where a limit is missed")
    a = parser.parse_args()
    program = next((p for p in (a.build / "launcher/topolaunch", a.build / "topolaunch")
                    if p.is_file()), None)
    if program is None:
        sys.exit(f"launch_overhead: no topolaunch in {a.build}")
    with tempfile.TemporaryDirectory() as state:
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           TOPOLAUNCH_STATE_DIR=state)
        commands = {
            "mpirun -n 2 true": ["mpirun", "-n", "2", "true"],
            "topolaunch --engine mpirun -n 2 -- true":
                [program, "--engine", "mpirun", "-n", "2", "--validate", "off", "--", "true"],
            "topolaunch --engine local -n 2 -- true":
                [program, "--engine", "local", "-n", "2", "--validate", "off", "--", "true"],
            "topolaunch --version": [program, "--version"],
        }
        times = {name: [] for name in commands}
        names = list(commands)
        for turn in range(a.runs + 1):  # the first one warms the caches and doesn't count
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                start = time.perf_counter()
                done = subprocess.run(list(map(str, commands[name])), env=environment,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
                taken = time.perf_counter() - start
                if done.returncode != 0:
                    sys.exit(f"launch_overhead: {name}: status {done.returncode}\n{done.stderr}")
                if turn > 0:
                    times[name].append(taken)
    median = {name: statistics.median(values) for name, values in times.items()}
    bare = median[names[0]]
    limit = {names[1]: ("at most 30 ms over bare", median[names[1]] - bare <= 0.030),
             names[2]: ("below bare", median[names[2]] < bare),
             names[3]: ("at most 10 ms", median[names[3]] <= 0.010)}
    print(f"{'command':<42} {'median ms':>9} {'over bare':>10} {'ratio':>6}  limit   ({a.runs} runs)")
    missed = False
    for name in names:
        said = ""
        if name in limit:
            words, holds = limit[name]
            said = f"{words}: {'holds' if holds else 'MISSED'}"
            missed = missed or not holds
        print(f"{name:<42} {median[name] * 1e3:>9.1f} {(median[name] - bare) * 1e3:>+10.1f} "
              f"{median[name] / bare:>6.2f}  {said}")
    return 1 if missed and a.limits else 0


if __name__ == "__main__":
    sys.exit(main())
