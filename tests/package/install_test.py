#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build installs and packages is complete and works away from the build folder.

    install_test.py {install|consumer|debian} --build DIR --source DIR
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CLEAN = {key: value for key, value in os.environ.items()
         if not key.startswith(("TOPOLAUNCH_", "LD_LIBRARY_PATH", "DESTDIR", "CMAKE_"))}


def run(*argv, **options):
    ran = subprocess.run([str(word) for word in argv], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, env=CLEAN, **options)
    if ran.returncode != 0:
        print("$", *argv)
        sys.exit(f"{ran.stdout}{ran.stderr}\nexit status {ran.returncode}")
    return ran.stdout


def want(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def installed(build, prefix):
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


def check_program(prefix):
    program = prefix / "bin/topolaunch"
    want(re.match(r"topolaunch \d+\.\d+\.\d+", run(program, "--version")), "it says its version")
    with tempfile.TemporaryDirectory() as home:
        # The whole path, from where it was installed to.
        out = run("env", "-i", f"HOME={home}", "PATH=/usr/bin:/bin", program, "--quiet", "-n", "1",
                  "--", "sh", "-c", "echo rank $RANK of $WORLD_SIZE", cwd=home)
        want(out == "rank 0 of 1\n", f"a job runs ({out!r})")
    libraries = run("ldd", program)
    for library in ("libmpi", "libcuda", "libcudart", "libnccl", "libnvidia-ml"):
        want(library not in libraries, f"topolaunch doesn't link {library}")


def test_install(arguments, scratch):
    prefix = installed(arguments.build, scratch / "prefix")
    check_program(prefix)
    want((prefix / "include/topolaunch/topo/topology.h").is_file(), "headers are installed")
    want(list(prefix.glob("lib*/cmake/topolaunch/topolaunchConfig.cmake")) or
         list(prefix.glob("lib/*/cmake/topolaunch/topolaunchConfig.cmake")), "the CMake package is")
    for page in sorted((arguments.source / "docs/man").glob("*.1.md")):
        name = page.name[:-len(".md")]
        if (prefix / "bin" / name[:-2]).exists():
            text = (prefix / "share/man/man1" / name).read_text()
            want(text.startswith(".TH ") and re.search(r'^\.SH "?NAME"?$', text, re.M), f"{name} is a man page")
            if shutil.which("lexgrog"):
                run("lexgrog", "--whatis", prefix / "share/man/man1" / name)
            if shutil.which("man"):
                rendered = subprocess.run(["man", "-l", "--warnings=w", prefix / "share/man/man1" / name],
                                          capture_output=True, text=True,
                                          env={**CLEAN, "MANWIDTH": "80", "PAGER": "cat"})
                want(rendered.returncode == 0 and not rendered.stderr, rendered.stderr)
    for path in prefix.rglob("*"):
        if path.is_file() and path.suffix in (".cmake", ".h"):
            want(str(arguments.build) not in path.read_text(), f"{path} knows no build folder")


def test_consumer(arguments, scratch):
    prefix = installed(arguments.build, scratch / "prefix")
    # Elsewhere: what the build folder knows must not help.
    moved = scratch / "moved"
    prefix.rename(moved)
    run("cmake", "-G", "Ninja", "-S", arguments.source / "tests/package/consumer", "-B",
        scratch / "consumer", f"-DCMAKE_PREFIX_PATH={moved}")
    run("cmake", "--build", scratch / "consumer")
    out = run(scratch / "consumer/consumer")
    want(out.count("\n") == 8 and "rank 7:" in out, f"eight ranks have their places ({out!r})")


def test_debian(arguments, scratch):
    if not shutil.which("dpkg-shlibdeps"):
        print("no dpkg-shlibdeps here (apt-get install dpkg-dev)")
        sys.exit(77)
    # A copy of the configuration: cpack would write beside it.
    run("cpack", "--config", arguments.build / "CPackConfig.cmake", "-G", "DEB", "-B",
        scratch / "packages", cwd=scratch)
    depends = {}
    for package in (scratch / "packages").glob("*.deb"):
        depends[run("dpkg-deb", "-f", package, "Package").strip()] = run(
            "dpkg-deb", "-f", package, "Depends")
        run("dpkg-deb", "-x", package, scratch / "root")
    want({"topolaunch", "topolaunch-dev"} <= set(depends), f"the packages are there ({depends})")
    for library in ("libc6", "libhwloc15", "libssl3", "libsqlite3-0", "libpugixml1v5"):
        want(library in depends["topolaunch"], f"topolaunch depends on {library}")
    for library in ("openmpi", "cuda", "nccl", "nvidia"):
        want(library not in depends["topolaunch"], f"topolaunch doesn't depend on {library}")
    if "topobench" in depends:
        want("openmpi" in depends["topobench"], "topobench depends on Open MPI")
    check_program(scratch / "root/usr")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("test", choices=["install", "consumer", "debian"])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="topolaunch-package-") as scratch:
        globals()["test_" + arguments.test](arguments, pathlib.Path(scratch).resolve())


if __name__ == "__main__":
    main()
