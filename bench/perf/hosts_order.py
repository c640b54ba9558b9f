#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the order of hosts is worth, on a bed of namespaces with shaped links (tests/testbed/bed).

    bench/perf/hosts_order.py BUILD_FOLDER [--hosts 8] [--per-leaf 4] [--rate 200] [--mib 4]
        [--seeds 5] [--rounds 3] [--iterations 5] [--ab 20] [--steps 8] [--only allreduce,...]

Needs root. Parts, all against plain mpirun with the same MCA settings (a ring allreduce, TCP):
  allreduce  hosts given grouped, round robin over the leaves, and in random orders: the median of
             the allreduce under mpirun in that order, under topolaunch, what topolaunch had
             estimated for the given and for the solved order, and the ratios
  training   examples/training, computing and exchanging half and half in the good order: the
             job's time in round-robin order and as topolaunch orders it
  ab         --ab on the round-robin order and on a random one: how often the faster order ran,
             and the seconds from the start of topolaunch to the start of the job
The uplink of a leaf has the rate of one host, so 4 hosts a leaf are 4:1. It prints a table and
never fails on a time; a part that could not be run says so, and the status is then 1.
"""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BED = [sys.executable, str(ROOT / "tests/testbed/bed"), "--name", "order"]

# The same on both sides. Yielding: each host's ranks believe that the CPUs are theirs alone.
MCA = ("--mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/16 "
       "--mca mpi_yield_when_idle 1 --mca coll_tuned_use_dynamic_rules 1 "
       "--mca coll_tuned_allreduce_algorithm 4")
START = ("--mca plm rsh --mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_num_concurrent 64 "
         "--mca oob_tcp_if_include 10.77.0.0/16")


def run(argv, timeout=300, check=True, **options):
    done = subprocess.run(argv, text=True, capture_output=True, timeout=timeout, **options)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(argv)}: status {done.returncode}\n{done.stderr[-2000:]}")
    return done


class Bench:
    def __init__(self, args):
        self.args = args
        self.build = pathlib.Path(args.build).resolve()
        self.topolaunch = self.build / "launcher/topolaunch"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hosts-order-"))
        self.loop = self.folder / "allreduce_loop"
        run(["mpicc", "-O2", "-o", str(self.loop), str(ROOT / "bench/perf/allreduce_loop.c")])
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                TOPOLAUNCH_STATE_DIR=str(self.folder / "state"))

    def up(self):
        a = self.args
        run(BED + ["up", str(a.hosts), str(a.per_leaf), f"{a.rate}mbit", f"{a.rate}mbit"])
        self.info = json.loads(run(BED + ["info"]).stdout)
        self.agent = run(BED + ["agent"]).stdout.strip()
        self.conf = self.folder / "topology.conf"
        self.conf.write_text(run(BED + ["slurm-topology"]).stdout)
        self.names = [h["name"] for h in self.info["hosts"]]
        self.leaves = {}
        for h in self.info["hosts"]:
            self.leaves.setdefault(h["leaf"], []).append(h["name"])

    def down(self):
        run(BED + ["down"], check=False)

    def head(self, argv, **options):
        return run(BED + ["exec", "head"] + [str(w) for w in argv], env=self.environment, **options)

    # ---- orders -------------------------------------------------------------------------------

    def round_robin(self):
        order, columns = [], [list(leaf) for leaf in self.leaves.values()]
        while any(columns):
            order += [column.pop(0) for column in columns if column]
        return order

    def shuffled(self, seed):
        order = list(self.names)
        random.Random(seed).shuffle(order)
        return order

    # ---- the two sides ------------------------------------------------------------------------

    def under_mpirun(self, order, command):
        """mpirun with rank r on the r-th host: a rankfile, as hostfiles aren't ordered."""
        rankfile = self.folder / "rankfile"
        rankfile.write_text("".join(f"rank {r}={h} slot=0\n" for r, h in enumerate(order)))
        return self.head(["mpirun", "-n", len(order), "--host", ",".join(order), "--rankfile",
                          rankfile, "--nolocal", "--mca", "plm_rsh_agent", self.agent]
                         + (START + " " + MCA).split() + command)

    def topolaunch_words(self, order, *options):
        return [self.topolaunch, "--hosts", ",".join(order), "--topology", self.conf, "--link-rate",
                f"host={self.args.rate}Mb/s,uplink={self.args.rate}Mb/s", "--bytes",
                f"{self.args.mib}M", "--validate", "off", "--engine-args",
                f"--mca plm_rsh_agent {self.agent} {MCA}", *options]

    def under_topolaunch(self, order, command, *options):
        return self.head(self.topolaunch_words(order, *options) + ["--"] + command)

    def estimates(self, order):
        words = [self.topolaunch, "map", "--hosts", ",".join(order), "--topology", self.conf,
                 "--link-rate", f"host={self.args.rate}Mb/s,uplink={self.args.rate}Mb/s", "--bytes",
                 f"{self.args.mib}M", "--json", "--engine-args", f"--mca plm_rsh_agent {self.agent}"]
        solved = json.loads(self.head(words).stdout)
        return solved["given"]["seconds"], solved["solution"]["seconds"]

    def milliseconds(self, done):
        line = done.stdout.strip().splitlines()[-1].split()
        return float(line[1]) * 1e3

    # ---- parts --------------------------------------------------------------------------------

    def allreduce(self):
        a = self.args
        loop = [self.loop, a.mib << 20, a.iterations, 1]
        orders = [("grouped", self.names), ("round robin", self.round_robin())]
        orders += [(f"random {seed}", self.shuffled(seed)) for seed in range(1, a.seeds + 1)]
        print(f"\nallreduce of {a.mib} MiB, {a.hosts} hosts at {a.rate} Mb/s, "
              f"{a.per_leaf}:1, ms (median of {a.rounds} runs of {a.iterations})")
        print(f"{'given order':<14}{'mpirun':>9}{'estimate':>10}{'off':>8}"
              f"{'topolaunch':>12}{'estimate':>10}{'off':>8}{'faster':>9}")
        ratios = []
        for name, order in orders:
            given, solved = [s * 1e3 for s in self.estimates(order)]
            plain, ours = [], []
            for _ in range(a.rounds):
                plain.append(self.milliseconds(self.under_mpirun(order, loop)))
                ours.append(self.milliseconds(self.under_topolaunch(order, loop)))
            p, o = statistics.median(plain), statistics.median(ours)
            if name.startswith("random"):
                ratios.append(p / o)
            print(f"{name:<14}{p:>9.0f}{given:>10.0f}{100 * (given / p - 1):>+7.1f}%"
                  f"{o:>12.0f}{solved:>10.0f}{100 * (solved / o - 1):>+7.1f}%{p / o:>8.2f}x",
                  flush=True)
        if ratios:
            print(f"random orders, median: {statistics.median(ratios):.2f}x")

    def training(self):
        a = self.args
        compute = round(self.estimates(self.names)[1] * 1e3)
        words = [self.build / "examples/training", "--steps", a.steps, "--mib", a.mib, "--compute",
                 compute]
        order = self.round_robin()

        def job(*options):
            """The loop's own time, and the command's from start to end."""
            start = time.monotonic()
            out = self.under_topolaunch(order, words, *options).stdout
            wall = time.monotonic() - start
            return float(re.search(r"ranks: ([0-9.]+) s", out).group(1)), wall

        # Every rank on its pin is the given order.
        pins = [w for r, h in enumerate(order) for w in ("--pin", f"{r}={h}")]
        given, solved = [], []
        for _ in range(a.rounds):
            given.append(job(*pins))
            solved.append(job())
        g, s = (statistics.median(t for t, _ in times) for times in (given, solved))
        gw, sw = (statistics.median(w for _, w in times) for times in (given, solved))
        print(f"\ntraining, {a.steps} steps of {compute} ms and {a.mib} MiB, hosts round robin:\n"
              f"  given order {g:.1f} s, solved {s:.1f} s: {100 * (1 - s / g):.0f} % sooner "
              f"(with start and end: {gw:.1f} s, {sw:.1f} s: {100 * (1 - sw / gw):.0f} %)",
              flush=True)

    def ab(self):
        a = self.args
        right, seconds, words = 0, [], {}
        for i in range(a.ab):
            order = self.round_robin() if i % 2 == 0 else self.shuffled(i)
            start = time.time()
            done = self.under_topolaunch(order, ["date", "+%s.%N"], "--ab")
            first = min(float(line) for line in done.stdout.split())
            seconds.append(first - start)
            said = next((line for line in done.stderr.splitlines() if "ab      " in line), "?")
            kind = ("solved" if "the solved order runs" in said else
                    "noise" if "noise" in said else "given" if "given order runs" in said else "same"
                    if "nothing to compare" in said else said)
            words[kind] = words.get(kind, 0) + 1
            right += kind in ("solved", "same")
        print(f"\n--ab, {a.ab} starts (round robin and random orders in turn): {right} right "
              f"({', '.join(f'{n} {k}' for k, n in sorted(words.items()))}); "
              f"start to first rank {statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    for name, value in (("hosts", 8), ("per-leaf", 4), ("rate", 200), ("mib", 4), ("seeds", 5),
                        ("rounds", 3), ("iterations", 5), ("ab", 20), ("steps", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--only", default="allreduce,training,ab")
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("hosts_order: needs root (namespaces)")
    bench = Bench(args)
    bench.up()
    try:
        for part in args.only.split(","):
            getattr(bench, part)()
    finally:
        bench.down()


if __name__ == "__main__":
    main()
