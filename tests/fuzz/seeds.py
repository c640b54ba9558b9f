#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the fuzzers begin with: seeds.py FOLDER

Raw strings of the unit tests, captures of tests/machine, and $TOPOLAUNCH_SHARED where it is: every format
that is read has some, and a fuzzer keeps those that its reader gets somewhere with.
"""
import hashlib
import os
import pathlib
import re
import sys

LARGEST = 32 * 1024  # a longer file is a slow seed, and no different from a short one


def seeds(root):
    for test in sorted((root / "tests").rglob("*.cpp")):
        for literal in re.finditer(r'R"(\w*)\((.*?)\)\1"', test.read_text(), re.DOTALL):
            yield literal.group(2).encode()
    folders = [root / "tests/machine"]
    shared = pathlib.Path(os.environ.get("TOPOLAUNCH_SHARED", root.parent / "shared"))
    folders += [shared / "samples", shared / "fixtures"]
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                yield file.read_bytes()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for text in seeds(pathlib.Path(__file__).resolve().parents[2]):
        if 0 < len(text) <= LARGEST:
            (out / hashlib.sha1(text).hexdigest()).write_bytes(text)


main()
