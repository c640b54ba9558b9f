#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost model's ring beside SimGrid's SMPI on the same machine with the same constants.

  simgrid_model.py TOPOLAUNCH [--ranks 64 256] [--mib 4]

A ring allreduce (SMPI: smpi/allreduce:lr) over hosts of one rank, 1 Gb/s each, 8 a leaf, 4:1, in the order of the
fabric and round robin over the leaves. SMPI gets the platform that `topo --format simgrid` prints and the model's
constants: no factors on bandwidth, what a step costs besides (mapping/constants.h: 30 us, three copies at 4 GB/s)
as the cost of a receive. Needs libsimgrid-dev.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PER_LEAF = 8
STEP_S, COPY_S_PER_BYTE = 30e-6, 3 / 4e9
CONFIG = ["smpi/allreduce:lr", "network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
          f"smpi/or:0:{STEP_S}:{COPY_S_PER_BYTE}", "smpi/send-is-detached-thresh:1073741824", "smpi/simulate-computation:0",
          "smpi/shared-malloc:global"]


def run(words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: status {done.returncode}\n{done.stderr[-1500:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("topolaunch")
    parser.add_argument("--ranks", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--mib", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        loop = scratch / "loop"
        run(["smpicc", "-O2", "-o", loop, ROOT / "bench/perf/allreduce_loop.c"])
        print(f"{'ranks':>6}  {'order':<12}{'SimGrid ms':>11}{'model ms':>10}{'off':>8}")
        for n in options.ranks:
            spec = f"synthetic:{n} host, 1 core, 1 nic 1Gb/s, {PER_LEAF} host/leaf, 4:1"
            platform = scratch / "platform.xml"
            platform.write_text(run([options.topolaunch, "topo", "--topology", spec, "--format", "simgrid"]))
            leaves = [range(first, min(first + PER_LEAF, n)) for first in range(0, n, PER_LEAF)]
            orders = {"fabric": list(range(n)),
                      "round robin": [leaf[i] for i in range(PER_LEAF) for leaf in leaves if i < len(leaf)]}
            for name, order in orders.items():
                hostfile = scratch / "hosts"
                hostfile.write_text("".join(f"host{h}\n" for h in order))
                out = run(["smpirun", "-platform", platform, "-hostfile", hostfile, "-np", n, "--log=root.thres:error"]
                          + [f"--cfg={c}" for c in CONFIG] + [loop, options.mib << 20, 1, 0])
                simulated = float(out.split()[-1])
                pins = [w for r, h in enumerate(order) for w in ("--pin", f"{r}=host{h}")]
                plan = json.loads(run([options.topolaunch, "map", "--topology", spec, "-n", n, "--pattern", "allreduce",
                                       "--bytes", f"{options.mib}M", "--json", *pins]))
                model = plan["solution"]["seconds"]
                print(f"{n:>6}  {name:<12}{simulated * 1e3:>11.1f}{model * 1e3:>10.1f}"
                      f"{100 * (model / simulated - 1):>+7.1f}%", flush=True)


if __name__ == "__main__":
    main()
