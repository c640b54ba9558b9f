#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job on a terminal: terminal_test.py ENGINE_DRIVER. Each case runs on a pseudo terminal of its own."""
import os
import pty
import select
import shutil
import sys
import time

DRIVER = sys.argv[1]


def on_terminal(argv, answers, seconds=60):
    """Runs argv; writes answers[text] once text was seen. Returns (status, what the terminal showed)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(argv[0], argv)
    shown, left, end = b"", dict(answers), time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([fd], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(fd, 65536)
        except OSError:
            break  # the other end is closed
        if not data:
            break
        shown += data
        for text in [t for t in left if t in shown]:
            time.sleep(0.3)
            os.write(fd, left.pop(text))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode(errors="replace").replace("\r", "")


def check(name, got, want_status, *want_texts):
    status, shown = got
    wrong = [text for text in want_texts if text not in shown]
    if status != want_status or wrong:
        print(f"FAILED {name}: status {status}, wanted {want_status}; not shown: {wrong}\n{shown}")
        return 1
    print(f"ok {name}")
    return 0


def main():
    ask = 'tty; read -p "prompt: " x; echo got "$x"'
    trap = 'trap "echo rank got it; exit 5" INT; echo ready; for i in $(seq 100); do sleep 0.2; done'
    bad = check("one rank has the terminal itself",
                on_terminal([DRIVER, "local", "1", "--", "bash", "-c", ask], {b"prompt: ": b"hello\n"}),
                0, "/dev/pts/", "got hello")
    bad += check("Ctrl-C reaches one rank once",
                 on_terminal([DRIVER, "local", "1", "--", "bash", "-c", trap], {b"ready": b"\x03"}),
                 130, "rank got it")
    bad += check("Ctrl-C reaches every rank",
                 on_terminal([DRIVER, "local", "2", "--tag", "--", "bash", "-c", trap],
                             {b"[1] ready": b"\x03"}), 130, "[0] rank got it", "[1] rank got it")
    bad += check("rank 0 of several reads the terminal",
                 on_terminal([DRIVER, "local", "2", "--tag", "--", "bash", "-c",
                              "read x; echo got \"$x\"; echo prompt:"], {b"[1] prompt:": b"hello\n"}),
                 0, "[0] got hello", "[1] got")
    if shutil.which("mpirun"):
        bad += check("rank 0 under mpirun reads the terminal",
                     on_terminal([DRIVER, "mpirun", "2", "--tag", "--", "bash", "-c",
                                  "read x; echo got \"$x\"; echo prompt:"], {b"[1] prompt:": b"hello\n"}),
                     0, "[0] got hello", "[1] got")
    return 1 if bad else 0


sys.exit(main())
