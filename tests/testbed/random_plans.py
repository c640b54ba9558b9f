#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random plans over hosts: is every rank where its plan says, seen from inside it?

    random_plans.py ENGINE_DRIVER N [--seed S] [--hosts 8] [--most 4]

Each plan takes 2 to --hosts hosts of a bed in random order, and 1 to --most ranks on each, unevenly,
in blocks, in turns or all mixed up. What a rank sees itself (its host's name, its number, Open MPI's
number) is held against the plan. Exit status: 0, 1 with the plans that went wrong, 77 where no bed
can be had.
"""
import argparse
import json
import os
import pathlib
import random
import sys
import tempfile
import time

from bed_run import BedRun, skip_unless_possible

BED = f"rp{os.getpid() % 10000:04d}"


def random_plan(dice, hosts, most):
    chosen = dice.sample(hosts, dice.randint(2, len(hosts)))
    counts = {host: dice.randint(1, most) for host in chosen}
    shape = dice.choice(["blocks", "turns", "mixed"])
    ranks = [host for host in chosen for _ in range(counts[host])]
    if shape == "turns":
        ranks = [host for turn in range(most) for host in chosen if counts[host] > turn]
    if shape == "mixed":
        dice.shuffle(ranks)
    return shape, ranks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("plans", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--most", type=int, default=4)
    options = parser.parse_args()
    skip_unless_possible()
    dice = random.Random(options.seed)
    wrong, ranks_seen, started = [], 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder, BedRun(BED, options.hosts, 4) as bed:
        agent = bed.agent(detached=False)
        summary = pathlib.Path(folder) / "summary.json"
        for number in range(options.plans):
            shape, plan = random_plan(dice, bed.hosts, options.most)
            command = [options.driver.resolve(), "mpirun", len(plan), "--on", ",".join(plan), "--summary", summary,
                       "--engine-arg", "--mca", "--engine-arg", "plm_rsh_agent", "--engine-arg", agent,
                       "--", "sh", "-c", "echo $RANK $OMPI_COMM_WORLD_RANK $(hostname)"]
            status, out, err = bed.launch(command)
            seen = sorted(out.decode().splitlines(), key=lambda line: int(line.split()[0]))
            want = [f"{rank} {rank} {host}" for rank, host in enumerate(plan)]
            observed = [one["host"] for one in json.loads(summary.read_text())["observations"]] \
                if status == 0 else []
            ranks_seen += len(seen)
            if status != 0 or seen != want or observed != plan:
                wrong.append((number, shape, plan, status, seen, err))
                print(f"plan {number} ({shape}, {len(plan)} ranks): WRONG\n  planned {plan}\n  seen    {seen}\n"
                      f"  status {status} {err}", flush=True)
    print(f"{options.plans} plans (seed {options.seed}), {ranks_seen} ranks, {len(wrong)} plans wrong, "
          f"{time.monotonic() - started:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
