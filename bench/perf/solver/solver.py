#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The solver beside SCOTCH on the same instances in the same run.

  solver.py --bench BUILD/bench/perf/solver/solver_bench --instances DIR/instances.py [NAME ...]

The instances are made at run time by the generator given (or $TOPOLAUNCH_SHARED/instances/instances.py).
Times are CPU seconds of this machine: look at the ratios. J counts each edge once. "!" marks a mapping
that puts two tasks on one seat. Both J are our evaluator's.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HIERARCHIES = {  # what the generator's tables do not say for the fragmented allocation
    "mega_frag": ("8:32:24", "1:10:100"),
}


def cpu_of(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def write_scotch_graph(metis, path):
    with open(metis) as source, open(path, "w") as out:
        n, m, *_ = source.readline().split()
        out.write(f"0\n{n} {2 * int(m)}\n0 010\n")
        for line in source:
            words = line.split()
            arcs = " ".join(f"{words[i + 1]} {int(words[i]) - 1}" for i in range(0, len(words), 2))
            out.write(f"{len(words) // 2} {arcs}\n")


def scotch(metis, arities, distances, folder):
    """(map file, cpu seconds) or None."""
    program = shutil.which("scotch_gmap")
    if not program:
        return None
    graph, target, result = (os.path.join(folder, x) for x in ("g.grf", "t.tgt", "m.map"))
    write_scotch_graph(metis, graph)
    levels = list(zip(arities, distances))[::-1]
    with open(target, "w") as out:
        out.write(f"tleaf {len(levels)} " + " ".join(f"{a} {d}" for a, d in levels) + "\n")
    done, seconds = cpu_of([program, "-Cd", graph, target, result])
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return None
    with open(result) as source:
        lines = source.read().split("\n")[1:]
    place = dict(tuple(map(int, line.split()[:2])) for line in lines if line.strip())
    plain = os.path.join(folder, "m.txt")
    with open(plain, "w") as out:
        out.write("\n".join(str(place[v]) for v in sorted(place)) + "\n")
    return plain, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    shared = os.environ.get("TOPOLAUNCH_SHARED", "")
    parser.add_argument("--bench", required=True)
    parser.add_argument("--instances", default=os.path.join(shared, "instances", "instances.py"))
    parser.add_argument("--keep", help="folder with the graphs, made if they are not there")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or ["st2d_4096", "st2d_4096s", "lulesh_4096", "lulesh_4096s", "mega_4096", "mega_4096n",
                              "mega_4096s", "mega_1152", "mega_1152s", "moe_2048", "moe_2048s", "mega_frag", "rgg12"]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.instances)))
    import instances  # the generator, as a module

    scratch = tempfile.mkdtemp(prefix="solver-")
    folder = options.keep or scratch
    os.makedirs(folder, exist_ok=True)
    print(f"{'instance':<16} {'given':>14} {'solved':>14} {'cpu s':>7} {'MB':>5}   {'SCOTCH':>14} {'cpu s':>7}  {'J ratio':>7}")
    for name in names:
        graph = os.path.join(folder, name + ".graph")
        extra = []
        if name == "mega_frag":
            hierarchy, distance = HIERARCHIES[name]
            if not os.path.exists(graph):
                instances.write_frag(folder)
            extra = ["--places", os.path.join(folder, "mega_frag.pes")]
        else:
            build, hierarchy, distance, _ = instances.I[name]
            if not os.path.exists(graph):
                build().write(graph)
        base = [options.bench, graph, hierarchy, distance] + extra
        for seed in range(1, options.seeds + 1):
            done, _ = cpu_of(base + ["--seed", str(seed)])
            if done.returncode != 0:
                print(f"{name:<16} failed: {(done.stderr or done.stdout).strip()}")
                continue
            ours, given, seconds, memory = done.stdout.split()
            line = f"{name:<16} {given:>14} {ours:>14} {float(seconds):>7.2f} {memory:>5}"
            if seed == 1 and not extra:
                peer = scotch(graph, [int(x) for x in hierarchy.split(":")], [int(x) for x in distance.split(":")], scratch)
                if peer:
                    evaluated, _ = cpu_of(base + ["--evaluate", peer[0]])
                    if evaluated.returncode == 0:
                        theirs, *rest = evaluated.stdout.split()
                        mark = "!" if rest[-1] == "!" else " "
                        line += f"   {theirs:>13}{mark} {peer[1]:>7.2f}  {int(ours) / int(theirs):>7.3f}"
            print(line, flush=True)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
