#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy that remembers what it found clean: a file is looked at again when it, a header of it,
the checks or clang-tidy change.

    tidy.py OPTION... FILE -- COMPILER OPTION...      as CMake calls clang-tidy

What it knows lies in $TOPOLAUNCH_TIDY_CACHE (~/.cache/topolaunch/tidy), one empty file a clean look.
"""
import hashlib
import os
import pathlib
import subprocess
import sys

TIDY = "clang-tidy"
CHECKS = pathlib.Path(__file__).resolve().parent.parent / ".clang-tidy"


def preprocessed(compiler):
    """The source as the compiler sees it, with its comments: a NOLINT is one. None: it can't."""
    words, skip = [], False
    for word in compiler:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word not in ("-c", "-MD"):
            words.append(word)
    result = subprocess.run(words + ["-E", "-C", "-P"], capture_output=True, check=False)
    return result.stdout if result.returncode == 0 else None


def main(arguments):
    at = arguments.index("--")
    cache = pathlib.Path(os.environ.get("TOPOLAUNCH_TIDY_CACHE")
                         or pathlib.Path.home() / ".cache" / "topolaunch" / "tidy")
    source = preprocessed(arguments[at + 1:])
    clean = None
    if source is not None:
        version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
        known = hashlib.sha256(b"\0".join([version, CHECKS.read_bytes(), source])).hexdigest()
        clean = cache / known
        if clean.exists():
            return 0
    status = subprocess.run([TIDY, *arguments], check=False).returncode
    if status == 0 and clean is not None:
        cache.mkdir(parents=True, exist_ok=True)
        clean.touch()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
