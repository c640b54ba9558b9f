#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The solver beside SCOTCH and KaHIP on the same instances in the same run.

  solver.py --bench BUILD/bench/perf/solver/solver_bench [--instances FILE] [--keep FOLDER]
            [--kahip PYTHON] [--slow-peers] [NAME ... | goals | others | large | all]

The instances are made at run time by the generator given ($TOPOLAUNCH_SHARED/instances/instances.py): `goals`
are those with a value to reach, `others` further sizes, shapes and seeds of the same families, `large` those of
32,768 vertices and more, where the peers take minutes (--slow-peers runs them there too). SCOTCH is
Debian's scotch_gmap -Cd; KaHIP runs where --kahip names a Python that has it (pip install kahip).

All J are our evaluator's and count each edge once; "!" marks a mapping with two tasks on one seat, or more
than the limit. Times are CPU seconds of this machine: look at the ratios. MB is the solver's peak memory.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

# Value to reach, CPU seconds for it.
GOALS = {
    "st2d_4096": (69120, 2), "st2d_4096s": (69120, 2), "lulesh_4096": (175254768, 2), "lulesh_4096s": (175254768, 2),
    "mega_4096": (1406968320, 1), "mega_4096n": (1406968320, 1), "mega_4096s": (1406968320, 1),
    "mega_1152": (124638336, .5), "mega_1152s": (124638336, .5), "moe_2048": (8665470208, 1),
    "moe_2048s": (8665470208, 1), "mega_frag": (1573309919, 1), "rgg12": (98360, 1), "rgg15": (1370042, 3),
    "rgg17": (6945661, 15), "st3d_131072": (7241728, 15), "st3d_131072s": (7530000, 15),
    "rgg_n_2_15_s0": (232317, 5), "delaunay_n15": (288454, 5),
}
LARGE = ["rgg15", "rgg17", "st3d_131072", "st3d_131072s", "rgg_n_2_15_s0", "delaunay_n15"]
MORE_TASKS = {"rgg_n_2_15_s0": 33, "delaunay_n15": 33}  # tasks a seat: 3 % over the mean
SHARED_GRAPHS = ("rgg_n_2_15_s0", "delaunay_n15")


def further(i):
    """Further sizes, shapes and seeds: name -> (graph, hierarchy, distances)."""
    near, rack = "1:10:100", "1:10:30"

    def dense(tp, pp, dp):
        return i.dense_llm(tp, pp, dp, 96, 12288, 2048, 1, 24, 175e9)[0]

    def moe(pp, dp, ep):
        return i.moe_llm(pp, dp, ep, 64, 7168, 4096, 1, 60, 8, 20e9, 640e9)[0]

    return {
        "st2d_32x32s": (lambda: i.shuf(i.stencil2d(32, 32), 21), "8:16:8", near),
        "st2d_128x32": (lambda: i.stencil2d(128, 32), "8:32:16", near),
        "st2d_96x24s": (lambda: i.shuf(i.stencil2d(96, 24), 22), "8:18:16", near),
        "st2d_50x40s": (lambda: i.shuf(i.stencil2d(50, 40), 23), "8:25:10", near),
        "lulesh_8": (lambda: i.lulesh(8, 8, 8), "8:8:8", near),
        "lulesh_12s": (lambda: i.shuf(i.lulesh(12, 12, 12), 24), "8:27:8", near),
        "lulesh_16x8x8s": (lambda: i.shuf(i.lulesh(16, 8, 8), 25), "4:16:16", near),
        "mega_1024n": (lambda: i.nodeshuf(dense(8, 4, 32), 8, 26), "8:16:8", near),
        "mega_1024s": (lambda: i.shuf(dense(8, 4, 32), 27), "8:16:8", near),
        "mega_2048s": (lambda: i.shuf(dense(4, 8, 64), 28), "8:32:8", near),
        "mega_4096s2": (lambda: i.shuf(dense(8, 8, 64), 29), "8:32:16", near),
        "mega_576s": (lambda: i.shuf(dense(8, 6, 12), 30), "72:4:2", rack),
        "mega_2304s": (lambda: i.shuf(dense(8, 12, 24), 31), "72:4:8", rack),
        "moe_512s": (lambda: i.shuf(moe(8, 64, 32), 32), "8:16:4", near),
        "moe_1024n": (lambda: i.nodeshuf(moe(8, 128, 64), 8, 33), "8:32:4", near),
        "moe_1024s": (lambda: i.shuf(moe(16, 64, 16), 34), "8:16:8", near),
        "rgg12_2": (lambda: i.rgg(1 << 12, 35), "8:32:16", near),
        "rgg12_3": (lambda: i.rgg(1 << 12, 36), "16:16:16", near),
        "rgg11": (lambda: i.rgg(1 << 11, 37), "8:16:16", near),
        "rgg_3000": (lambda: i.rgg(3000, 38), "6:25:20", near),
    }


def cpu_of(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def write_scotch_graph(metis, path):
    with open(metis) as source, open(path, "w") as out:
        n, m, *kind = source.readline().split()
        weighted = bool(kind) and kind[0].endswith("1")
        out.write(f"0\n{n} {2 * int(m)}\n0 010\n")
        for line in source:
            words = line.split()
            step = 2 if weighted else 1
            arcs = " ".join(f"{words[i + 1] if weighted else 1} {int(words[i]) - 1}" for i in range(0, len(words), step))
            out.write(f"{len(words) // step} {arcs}\n")


def plain_map(result, path):
    """SCOTCH's map as one seat a line."""
    with open(result) as source:
        lines = source.read().split("\n")[1:]
    place = dict(tuple(map(int, line.split()[:2])) for line in lines if line.strip())
    with open(path, "w") as out:
        out.write("\n".join(str(place[v]) for v in sorted(place)) + "\n")


class Peers:
    def __init__(self, options, folder):
        self.kahip, self.mode, self.folder = options.kahip, options.kahip_mode, folder

    def scotch(self, metis, hierarchy, distances, more_tasks, places):
        """(map file, CPU seconds) or None."""
        program = shutil.which("scotch_gmap")
        if not program:
            return None
        graph, target, result, plain = (os.path.join(self.folder, x) for x in ("g.grf", "t.tgt", "m.map", "m.txt"))
        write_scotch_graph(metis, graph)
        levels = list(zip(hierarchy.split(":"), distances.split(":")))[::-1]
        with open(target, "w") as out:
            out.write(f"tleaf {len(levels)} " + " ".join(f"{a} {d}" for a, d in levels) + "\n")
        if places:
            # A part of the tree: its leaves by number.
            with open(places) as source:
                seats = source.read().split()
            with open(target) as source:
                tree = source.read()
            with open(target, "w") as out:
                out.write(f"sub {len(seats)} {' '.join(seats)}\n{tree}")
        balance = ["-b0.03"] if more_tasks else []
        done, seconds = cpu_of([program, "-Cd", *balance, graph, target, result])
        if done.returncode != 0:
            print(done.stderr.strip(), file=sys.stderr)
            return None
        plain_map(result, plain)
        return plain, seconds

    def kahip_map(self, metis, hierarchy, more_tasks):
        if not self.kahip:
            return None
        plain = os.path.join(self.folder, "k.txt")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kahip_map.py")
        done = subprocess.run([self.kahip, script, metis, hierarchy, plain, "--mode", self.mode]
                              + (["--slack", "0.03"] if more_tasks else []), capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr.strip()[-300:], file=sys.stderr)
            return None
        return plain, float(done.stdout.split()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    shared = os.environ.get("TOPOLAUNCH_SHARED", "")
    parser.add_argument("--bench", required=True)
    parser.add_argument("--instances", default=os.path.join(shared, "instances", "instances.py"))
    parser.add_argument("--keep", help="folder with the graphs, made if they are not there")
    parser.add_argument("--kahip", help="a Python that can import kahip")
    parser.add_argument("--kahip-mode", default="fast", choices=("fast", "eco", "strong"))
    parser.add_argument("--slow-peers", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.instances)))
    import instances  # the generator, as a module

    others = further(instances)
    sets = {"goals": [n for n in GOALS if n not in LARGE], "others": list(others), "large": LARGE}
    sets["all"] = sets["goals"] + sets["others"] + LARGE
    names = [n for word in options.names or ["goals"] for n in sets.get(word, [word])]
    scratch = tempfile.mkdtemp(prefix="solver-")
    folder = options.keep or scratch
    os.makedirs(folder, exist_ok=True)
    peers = Peers(options, scratch)
    worse = missed = 0
    print(f"{'instance':<15}{'given':>14}{'solved':>14}{'goal':>13}{'cpu s':>7}{'MB':>5}"
          f"{'SCOTCH':>16}{'cpu s':>7}{'J':>7}{'time':>7}{'KaHIP ' + options.kahip_mode if options.kahip else '':>16}{'cpu s':>7}{'J':>7}")
    for name in names:
        graph, extra, places = os.path.join(folder, name + ".graph"), [], None
        if name == "mega_frag":
            hierarchy, distances = "8:32:24", "1:10:100"
            if not os.path.exists(graph):
                instances.write_frag(folder)
            places = os.path.join(folder, "mega_frag.pes")
            extra = ["--places", places]
        elif name in SHARED_GRAPHS:
            graph = os.path.join(os.path.dirname(os.path.abspath(options.instances)), "..", "comm", name + ".graph")
            hierarchy, distances = "4:16:16", "1:10:100"
            extra = ["--tasks", str(MORE_TASKS[name])]
        else:
            build, hierarchy, distances = others[name] if name in others else instances.I[name][:3]
            if not os.path.exists(graph):
                build().write(graph)
        base = [options.bench, graph, hierarchy, distances] + extra

        def beside(peer, ours, base=base):
            """J of a peer's map, marked, its time, and what ours is of it."""
            evaluated, _ = cpu_of(base + ["--evaluate", peer[0]])
            if evaluated.returncode != 0:
                return f"{'failed':>16}{peer[1]:>7.2f}{'':>7}", None
            theirs, *rest = evaluated.stdout.split()
            fair = rest[-1] != "!"
            return f"{theirs + ('' if fair else '!'):>16}{peer[1]:>7.2f}{ours / int(theirs):>7.3f}", int(theirs) if fair else None

        for seed in range(1, options.seeds + 1):
            done, _ = cpu_of(base + ["--seed", str(seed)])
            if done.returncode != 0:
                print(f"{name:<15} failed: {(done.stderr or done.stdout).strip()}")
                worse += 1
                continue
            ours, given, seconds, memory, *mark = done.stdout.split()
            goal = GOALS.get(name, (None,))[0]
            missed += goal is not None and int(ours) > goal
            line = (f"{name:<15}{given:>14}{ours + ''.join(mark):>14}{goal if goal else '':>13}{float(seconds):>7.2f}{memory:>5}")
            more = name in MORE_TASKS
            if seed == 1 and (options.slow_peers or name not in LARGE or more or name == "rgg15"):
                if peer := peers.scotch(graph, hierarchy, distances, more, None if not places else places):
                    if places:  # SCOTCH numbers the part's leaves from 0
                        pass
                    text, theirs = beside(peer, int(ours))
                    line += text + f"{float(seconds) / max(peer[1], .01):>6.1f}x"
                    worse += theirs is not None and theirs < int(ours)
                if not places and (options.slow_peers or name not in LARGE or more):
                    if peer := peers.kahip_map(graph, hierarchy, more):
                        line += beside(peer, int(ours))[0]
            print(line, flush=True)
    print(f"{len(names)} instances: {missed} goals missed, {worse} worse than SCOTCH's feasible result")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
