#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time and peak memory of a whole `topolaunch map` against the number of ranks, groups known.

  sizes.py TOPOLAUNCH [--ranks 1024 8192 ...] [--svg FILE]

Each job is tp=8, pp=8, dp=the rest on a synthetic machine of 8-GPU hosts, 32 a leaf, 4:1. Time is user and system
together, reading the topology and writing the plan included.
"""
import argparse
import math
import os
import subprocess
import tempfile

WIDTH, HEIGHT, LEFT, BOTTOM = 520, 260, 56, 40


def measured(topolaunch, ranks):
    with tempfile.TemporaryDirectory() as state, open(os.devnull, "w") as nowhere:
        child = subprocess.Popen(
            [topolaunch, "map", "--topology", f"synthetic:{ranks // 8} host, 8 gpu h100, 8 nic ndr, 32 host/leaf, 4:1",
             "--parallel", f"tp=8,pp=8,dp={ranks // 64}", "--json"],
            stdout=nowhere, stderr=subprocess.PIPE, env=dict(os.environ, TOPOLAUNCH_STATE_DIR=state), text=True)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{ranks} ranks: status {child.returncode}\n{said[-500:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def svg(rows):
    """Time and memory over ranks, both axes logarithmic; linear growth is parallel to the dashes."""
    low, high = math.log10(rows[0][0]), math.log10(rows[-1][0])

    def x(ranks):
        return LEFT + (math.log10(ranks) - low) / (high - low) * (WIDTH - LEFT - 90)

    def y(value):  # 10 ms .. 10,000 s; 10 MB .. is drawn on the same decades, MB as 1/100 s
        return HEIGHT - BOTTOM - (math.log10(max(value, 1e-2)) + 2) / 4 * (HEIGHT - BOTTOM - 16)

    def line(column, scale, colour, label):
        points = " ".join(f"{x(row[0]):.1f},{y(row[column] * scale):.1f}" for row in rows)
        at = rows[len(rows) // 3]  # the lines are well apart there
        return (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                f'<text x="{x(at[0]):.0f}" y="{y(at[column] * scale) + 18:.0f}" text-anchor="start" fill="{colour}">{label}</text>')

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           f'font-size="11"><rect width="100%" height="100%" fill="white"/>']
    for decade in range(-2, 3):
        at = y(10 ** decade)
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 90}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" fill="#05a">{10.0 ** decade:g} s</text>'
                   f'<text x="{WIDTH - 84}" y="{at + 4:.1f}" fill="#b50">{10 ** (decade + 2):,} MB</text>')
    for row in rows:
        ranks = next((f"{row[0] // unit}{letter}" for unit, letter in ((1 << 20, "M"), (1 << 10, "k")) if row[0] % unit == 0),
                     f"{row[0]:,}")
        out.append(f'<text x="{x(row[0]):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{ranks}</text>')
    first = rows[0]
    end = first[1] * rows[-1][0] / first[0]
    out.append('<clipPath id="plot"><rect x="0" y="10" width="100%" height="100%"/></clipPath>')
    out.append(f'<line clip-path="url(#plot)" x1="{x(first[0]):.1f}" y1="{y(first[1]):.1f}" x2="{x(rows[-1][0]):.1f}" y2="{y(end):.1f}" '
               'stroke="#999" stroke-dasharray="4 4"/>')
    out.append(line(1, 1, "#05a", "CPU time"))
    out.append(line(2, .01, "#b50", "memory"))
    out.append(f'<text x="{(LEFT + WIDTH - 90) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle">ranks</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("topolaunch")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1024, 8192, 65536, 131072, 1048576])
    parser.add_argument("--svg")
    options = parser.parse_args()
    rows = []
    print(f"{'ranks':>9} {'cpu s':>8} {'MB':>7} {'us a rank':>10}")
    for ranks in options.ranks:
        seconds, memory = measured(options.topolaunch, ranks)
        rows.append((ranks, seconds, memory))
        print(f"{ranks:>9} {seconds:>8.2f} {memory:>7.0f} {seconds / ranks * 1e6:>10.1f}", flush=True)
    if options.svg:
        with open(options.svg, "w") as out:
            out.write(svg(rows))


if __name__ == "__main__":
    main()
