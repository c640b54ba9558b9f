#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mapping by KaHIP (PyPI: kahip): multisection along the hierarchy with kaffpa, as its authors' mapping tools do.

  kahip_map.py GRAPH.metis 8:32:16 MAP [--mode eco] [--slack 0.03]

Writes the seat of each vertex, one a line, and prints CPU seconds. Without slack the parts are asked to be equal;
KaHIP may miss that by some vertices, and then two share a seat.
"""
import argparse
import math
import sys
import time

import kahip

MODES = {"fast": kahip.FAST, "eco": kahip.ECO, "strong": kahip.STRONG}


def read(path):
    with open(path) as source:
        header = source.readline().split()
        weighted = len(header) > 2 and header[2].endswith("1")
        rows = []
        for line in source:
            words = [int(w) for w in line.split()]
            rows.append(list(zip(words[::2], words[1::2])) if weighted else [(w, 1) for w in words])
    return [[(u - 1, w) for u, w in row] for row in rows[:int(header[0])]]


def parts_of(rows, vertices, parts, slack, mode):
    local = {v: i for i, v in enumerate(vertices)}
    first, to, weight = [0], [], []
    for v in vertices:
        for u, w in rows[v]:
            if u in local:
                to.append(local[u])
                weight.append(w)
        first.append(len(to))
    if parts == 1:
        return [list(vertices)]
    _, part = kahip.kaffpa([1] * len(vertices), first, weight, to, parts, slack, True, 1, mode)
    result = [[] for _ in range(parts)]
    for v, p in zip(vertices, part):
        result[p].append(v)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("graph")
    parser.add_argument("hierarchy")
    parser.add_argument("map")
    parser.add_argument("--mode", default="eco", choices=sorted(MODES))
    parser.add_argument("--slack", type=float, default=0.0)
    options = parser.parse_args()
    rows = read(options.graph)
    arities = [int(a) for a in options.hierarchy.split(":")]
    seats = [0] * len(rows)
    total = math.prod(arities)
    before = time.process_time()

    def descend(vertices, level, seat):
        if level < 0:
            for v in vertices:
                seats[v] = seat
            return
        below = math.prod(arities[:level])
        if below == 1 and len(rows) == total:
            # One vertex a seat; what is too much doubles up.
            for i, v in enumerate(vertices):
                seats[v] = seat + i % arities[0]
            return
        if not vertices:
            return
        for i, part in enumerate(parts_of(rows, vertices, arities[level], options.slack, MODES[options.mode])):
            descend(part, level - 1, seat + i * below)

    descend(list(range(len(rows))), len(arities) - 1, 0)
    with open(options.map, "w") as out:
        out.write("\n".join(map(str, seats)) + "\n")
    print(f"{time.process_time() - before:.2f}")


if __name__ == "__main__":
    sys.exit(main())
