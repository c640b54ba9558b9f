#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""comm_files.py TOPOLAUNCH: every trace, matrix and model of $TOPOLAUNCH_SHARED gives a plan; the same with a
spoiled line is refused with that line (65). Prints a line a file; 77 without the files."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MACHINE = "tree:8:64:128"


def plan(program, path):
    name = path.name
    if "model" in name or "hf-config" in name:
        job = ["--model", str(path)] + (["--parallel", "tp=4,ep=2,dp=4"] if "hf-config" in name else [])
    else:
        job = ["--traffic", str(path)]
    return subprocess.run([program, "map", "--topology", MACHINE, *job, "--effort", "fast", "--no-progress", "--json"],
                          capture_output=True, text=True, timeout=300)


def spoiled(path):
    """(text, line): a line in the middle with something that is no number; nothing for binary forms."""
    lines = path.read_text().splitlines(keepends=True)
    if path.suffix == ".json":
        at = len(lines) // 2
        return "".join(lines[:at]) + "\x01" + "".join(lines[at:]), at + 1
    if path.suffix == ".toml":
        return "".join(lines) + "nonsense = = 1\n", len(lines) + 1
    if path.suffix == ".prof":  # what a program sent
        at = next(i for i, line in enumerate(lines) if line.startswith("E\t"))
        words = lines[at].split("\t")
        words[3] = "12x4 bytes"
    else:
        at = next(i for i in range(len(lines) // 2, len(lines)) if lines[i].strip() and lines[i][0] not in "%#")
        words = lines[at].split(" ")
        number = next(i for i, word in enumerate(words) if word.strip())
        words[number] = "12x4" + words[number][len(words[number].rstrip()):]
    lines[at] = ("\t" if path.suffix == ".prof" else " ").join(words)
    return "".join(lines), at + 1


def main():
    shared = os.environ.get("TOPOLAUNCH_SHARED")
    files = []
    for folder in ("comm", "samples/comm"):
        root = pathlib.Path(shared or "/nowhere") / folder
        files += sorted(p for p in root.rglob("*") if p.is_file() and p.suffix not in (".md", ""))
    if not files:
        print("no shared traces and matrices: set TOPOLAUNCH_SHARED")
        return 77
    wrong = 0
    for path in files:
        run = plan(sys.argv[1], path)
        if "faulty" in path.name:
            ok, words = run.returncode == 65 and f"{path.name}:" in run.stderr, run.stderr.strip()[:60]
        else:
            ok, words = run.returncode == 0, run.stderr.strip()[:100]
            if ok:
                answer = json.loads(run.stdout)
                words = f'{answer["ranks"]} ranks, J {answer["given"]["hop_bytes"]:.4g} -> {answer["solution"]["hop_bytes"]:.4g}'
        with tempfile.TemporaryDirectory() as folder:
            text, line = spoiled(path)
            bad = pathlib.Path(folder) / path.name
            bad.write_text(text)
            refused = plan(sys.argv[1], bad)
            told = refused.returncode == 65 and f"{path.name}:{line}:" in refused.stderr
            if not told:
                words += f"; spoiled in line {line}: {refused.returncode} {refused.stderr.strip()[-150:]}"
        wrong += not (ok and told)
        print(f"{'ok   ' if ok and told else 'WRONG'} {path.name}: {words}")
    print(f"{len(files)} files, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
