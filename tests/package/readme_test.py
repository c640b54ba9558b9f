#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md: every line that starts with "$ " or stands alone in a ```sh block.

Left out are lines that install or build (./bootstrap, apt-get, git clone, cmake) and, by the word
`text`, blocks that show output only. The job commands run in a scratch folder with a private home,
with the build's topolaunch first in PATH and a small train.py, so that the README's own words run.

    readme_test.py README.md --build DIR
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NOT_RUN = re.compile(r"^(\./bootstrap|apt-get|sudo|git|cmake|cd)\b")
TRAIN = """import os
print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"])
"""


def commands(text):
    for block in re.finditer(r"^```sh\n(.*?)^```", text, re.S | re.M):
        first = text.count("\n", 0, block.start()) + 2
        lines = block[1].splitlines()
        shown = any(line.startswith("$ ") for line in lines)
        for number, line in enumerate(lines, first):
            if shown and not line.startswith("$ "):
                continue  # what the command prints
            line = line.removeprefix("$ ").strip()
            if line and not line.startswith("#"):
                yield number, line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    failures = ran = 0
    with tempfile.TemporaryDirectory(prefix="topolaunch-readme-") as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "train.py").write_text(TRAIN)
        (scratch / "home").mkdir()
        (scratch / "build").mkdir()
        (scratch / "build/release").symlink_to(build)
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith(("TOPOLAUNCH_", "XDG_"))}
        environment["HOME"] = str(scratch / "home")
        programs = [str(build / "launcher"), str(build / "bench")]
        environment["PATH"] = ":".join(programs + [os.environ["PATH"]])
        for number, command in commands(arguments.readme.read_text()):
            if NOT_RUN.match(command):
                continue
            ran += 1
            done = subprocess.run(["bash", "-c", command], cwd=scratch, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
            if done.returncode != 0:
                failures += 1
                print(f"{arguments.readme}:{number}: {command}\n{done.stdout}{done.stderr}"
                      f"exit status {done.returncode}")
    print(f"{ran} commands of {arguments.readme.name} ran, {failures} failed")
    return 1 if failures or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
