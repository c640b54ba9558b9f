#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replays the commands of a transcript and holds status, stdout and stderr to what stands there.

    ## what is shown                    a case; its cases run in order, in one private home
    @ needs mpirun                      skips the case, visibly, where that program is missing
    $ topolaunch --rank 2 -- true       one shell command (bash); more lines: begin with "> "
    ? 64                                exit status (0 if left out)
    1> text                             lines of stdout; no line = it must be empty
    2> text                             lines of stderr
    1* / 2*                             the stream is not looked at

In expected lines {*} stands for any text within a line, and a line {**} for any number of lines.
What differs from run to run is written as {home} {id} {host} {bin} before comparing.

--accept rewrites the expectations of the cases that failed: read the difference before committing.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

SKIPPED = 77


class Case:
    def __init__(self, title, line):
        self.title, self.line = title, line
        self.needs, self.command, self.status = [], [], 0
        self.out, self.err = [], []
        self.any_out = self.any_err = False
        self.comments = []


def parse(path):
    cases, head = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("## "):
            cases.append(Case(line[3:], number))
            continue
        if not cases:
            head.append(line)
            continue
        case = cases[-1]
        if line.startswith("@ needs "):
            case.needs.append(line[8:].strip())
        elif line.startswith("$ "):
            case.command = [line[2:]]
        elif line.startswith("> "):
            case.command.append(line[2:])
        elif line.startswith("? "):
            case.status = int(line[2:])
        elif line.rstrip() == "1*":
            case.any_out = True
        elif line.rstrip() == "2*":
            case.any_err = True
        elif line.startswith("1>"):
            case.out.append(line[3:])
        elif line.startswith("2>"):
            case.err.append(line[3:])
        elif line.startswith("#"):
            case.comments.append(line)
        elif line.strip():
            sys.exit(f"{path}:{number}: not a line of a transcript: {line}")
    return head, cases


def write(path, head, cases):
    out = [line for line in head]
    while out and not out[-1].strip():
        out.pop()
    for case in cases:
        out += ["", "## " + case.title] + case.comments
        out += ["@ needs " + need for need in case.needs]
        out += [("$ " if i == 0 else "> ") + text for i, text in enumerate(case.command)]
        if case.status:
            out.append(f"? {case.status}")
        out += ["1*"] if case.any_out else [("1> " + text).rstrip() for text in case.out]
        out += ["2*"] if case.any_err else [("2> " + text).rstrip() for text in case.err]
    path.write_text("\n".join(out).lstrip("\n") + "\n")


def matches(expected, actual):
    pattern = ""
    for line in expected:
        if line.strip() == "{**}":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("{*}")) + r"\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in actual)) is not None


class World:
    """A private home, state, configuration and working folder; the outside's variables stay out."""

    def __init__(self, programs, folder, machines):
        self.folder = folder
        self.programs = programs
        work = folder / "here"
        work.mkdir()
        (folder / "tmp").mkdir()
        self.work = work
        path = [str(p.parent) for p in programs.values()] + ["/usr/local/bin", "/usr/bin", "/bin",
                                                             "/usr/sbin", "/sbin"]
        self.environment = {
            "PATH": ":".join(path), "HOME": str(folder), "USER": "tester", "LANG": "C.UTF-8",
            "TMPDIR": str(folder / "tmp"), "XDG_RUNTIME_DIR": str(folder / "tmp"),
            "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state"),
        }
        if machines:
            self.environment["MACHINES"] = str(machines.resolve())
        for name in ("TOPOLAUNCH_SHARED", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
                     "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def run(self, command):
        process = subprocess.Popen(["bash", "-c", command], cwd=self.work, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=60)
            status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            status = "none within 60 s"
        return status, self.neutral(out), self.neutral(err)

    def neutral(self, raw):
        text = raw.decode("utf-8", "backslashreplace")
        for name, path in self.programs.items():
            text = text.replace(str(path), "{bin}/" + name)
        text = text.replace(str(self.folder), "{home}")
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "{id}", text)
        host = re.escape(socket.gethostname())
        text = re.sub(rf"(?<![\w.-]){host}(?![\w-])", "{host}", text)
        return text.splitlines()


def show(label, expected, actual):
    print(f"    {label}: expected")
    for line in expected:
        print("      | " + line)
    print(f"    {label}: got")
    for line in actual:
        print("      | " + line)


def replay(path, programs, machines, accept):
    head, cases = parse(path)
    failed = skipped = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="topolaunch-transcript-")).resolve()
    try:
        world = World(programs, folder, machines)
        for case in cases:
            missing = [n for n in case.needs if shutil.which(n, path=world.environment["PATH"]) is None]
            if missing:
                skipped += 1
                print(f"skipped: {case.title}: needs {', '.join(missing)}")
                continue
            status, out, err = world.run("\n".join(case.command))
            good_out = case.any_out or matches(case.out, out)
            good_err = case.any_err or matches(case.err, err)
            if status == case.status and good_out and good_err:
                print(f"ok: {case.title}")
                continue
            failed += 1
            print(f"FAILED: {case.title}\n  {path}:{case.line}: {' / '.join(case.command)}")
            if status != case.status:
                print(f"    status: expected {case.status}, got {status}")
            if not good_out:
                show("stdout", case.out, out)
            if not good_err:
                show("stderr", case.err, err)
            if accept and isinstance(status, int):
                case.status = status
                if not good_out:
                    case.out = out
                if not good_err:
                    case.err = err
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if accept and failed:
        write(path, head, cases)
        print(f"accepted {failed} in {path}")
        return 0
    if failed:
        return 1
    return SKIPPED if skipped and skipped == len(cases) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", action="append", default=[], metavar="PATH",
                        help="its folder comes first in PATH")
    parser.add_argument("--machines", type=pathlib.Path,
                        help="what tests/machine has prepared; $MACHINES in commands")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("transcripts", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    programs = {}
    for text in arguments.program:
        program = pathlib.Path(text).resolve()
        programs[program.name] = program
    results = [replay(path, programs, arguments.machines, arguments.accept)
               for path in arguments.transcripts]
    sys.exit(1 if 1 in results else (SKIPPED if results and set(results) == {SKIPPED} else 0))


if __name__ == "__main__":
    main()
