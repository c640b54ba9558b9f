#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a job over hosts takes to start, beside plain mpirun: medians of interleaved runs.

    bench/perf/start_over_hosts.py BUILD_FOLDER [--hosts 8,16,64,65,72] [--runs 5]

On a bed (tests/testbed/bed; root) of each size, one rank a host, the same agent and the same
parameters of Open MPI's on both sides. Seconds from the command to the first rank's first word, to
the last rank's, and to the end. Prints; judges nothing (times belong to a machine).
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/testbed"))
from bed_run import BedRun, skip_unless_possible  # noqa: E402


def timed(bed, command, ranks, environment):
    start = time.monotonic()
    process = bed.start(command, environment)
    words = []
    for line in process.stdout:
        if line == b"up\n":
            words.append(time.monotonic() - start)
    err = process.stderr.read().decode(errors="replace")
    status = process.wait()
    if status != 0 or len(words) != ranks:
        sys.exit(f"start_over_hosts: {command[0]}: status {status}, {len(words)} of {ranks} ranks\n{err}")
    return words[0], words[-1], time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--hosts", default="8,16,64,65,72")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    skip_unless_possible()
    driver = next(options.build.resolve().rglob("engine_driver"), None)
    if driver is None:
        sys.exit(f"start_over_hosts: no engine_driver in {options.build}")
    environment = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    print(f"{'hosts':>5}  {'':<10} {'first rank':>10} {'last rank':>10} {'end':>7}   over mpirun "
          f"(medians of {options.runs} runs, s)", flush=True)
    for count in map(int, options.hosts.split(",")):
        with BedRun(f"st{os.getpid() % 10000:04d}", count, 8) as bed, tempfile.TemporaryDirectory() as folder:
            hostfile = pathlib.Path(folder) / "hosts"
            hostfile.write_text("".join(f"{host} slots=1\n" for host in bed.hosts))
            agent, job = bed.agent(detached=False), ["sh", "-c", "echo up"]
            commands = {
                "mpirun": ["mpirun", "-n", count, "--hostfile", hostfile, "--nolocal", "--bind-to", "none",
                           "--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn", "1", *job],
                "topolaunch": [driver, "mpirun", count, "--on", ",".join(bed.hosts), "--engine-arg", "--mca",
                               "--engine-arg", "plm_rsh_agent", "--engine-arg", agent, "--", *job],
            }
            times = {name: [] for name in commands}
            for turn in range(options.runs + 1):  # the first one warms the caches and doesn't count
                for name in sorted(commands, reverse=turn % 2 == 1):
                    taken = timed(bed, commands[name], count, environment)
                    if turn > 0:
                        times[name].append(taken)
        median = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in times.items()}
        for name in commands:
            over = ""
            if name != "mpirun":
                over = "  ".join(f"{(ours / bare - 1) * 100:+.0f} %" for ours, bare
                                 in zip(median[name], median["mpirun"]))
            first, last, end = median[name]
            print(f"{count:>5}  {name:<10} {first:10.2f} {last:10.2f} {end:7.2f}   {over}", flush=True)


if __name__ == "__main__":
    main()
