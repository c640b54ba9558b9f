#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch runs under topolaunch as it does under torchrun: a DDP step gives all ranks one loss.

    torch_test.py --build DIR      skips (77) where no python3 has torch
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def python_with_torch(build):
    for python in (build.parent / "venv/bin/python", pathlib.Path("/usr/bin/python3"), "python3"):
        try:
            found = subprocess.run([python, "-c", "import torch.distributed as d; "
                                    "assert d.is_available() and d.is_gloo_available()"],
                                   capture_output=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if found.returncode == 0:
            return python
    print("no python3 here has torch with gloo (apt-get install python3-torch)")
    sys.exit(77)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    python = python_with_torch(build)
    step = pathlib.Path(__file__).resolve().with_name("ddp_step.py")
    engines = ["local", "mpirun"] if shutil.which("mpirun") else ["local"]
    for ranks in (2, 4):
        for engine in engines:
            with tempfile.TemporaryDirectory(prefix="topolaunch-torch-") as home:
                environment = {"HOME": home, "PATH": os.environ["PATH"]}
                ran = subprocess.run(
                    [build / "launcher/topolaunch", "--quiet", "--oversubscribe", "-n", str(ranks),
                     "--engine", engine, "--", python, step],
                    env=environment, cwd=home, capture_output=True, text=True, timeout=200)
            rows = sorted(line.split() for line in ran.stdout.splitlines())
            if ran.returncode != 0 or len(rows) != ranks:
                sys.exit(f"{ranks} ranks, {engine}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}")
            if [row[0] for row in rows] != [str(rank) for rank in range(ranks)]:
                sys.exit(f"ranks are not 0 to {ranks - 1}: {rows}")
            if {row[1] for row in rows} != {str(ranks)}:
                sys.exit(f"world size is not {ranks}: {rows}")
            if len({tuple(row[2:]) for row in rows}) != 1:
                sys.exit(f"losses differ: {rows}")
            if rows[0][2] == rows[0][3]:
                sys.exit(f"the step changed nothing: {rows}")
            print(f"{ranks} ranks, {engine}: one loss on all, {rows[0][2]} -> {rows[0][3]}")


if __name__ == "__main__":
    main()
