#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""InfiniBand subnets of ibsim, looked at by topolaunch: live, through a dump, and from the net file.

    ibsim.py TOPOLAUNCH [HOSTS ...]       64 512 2048 unless said otherwise

A fat tree is simulated and swept by opensm. Then hosts and leaves that `--topology ibnetdiscover:`
sees have to be those of the net file, those of a dump too, and one unlinked trunk has to be named.
Exits with 77 where ibsim, opensm or ibnetdiscover are missing (Debian: ibsim-utils opensm
infiniband-diags). Processes that it started are ended by their ids.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SHAPES = {64: (8, 8, 4, 2), 512: (32, 16, 16, 1), 2048: (64, 32, 32, 1)}  # leaves, hosts, spines, links


def net_file(leaves, hosts, spines, links):
    """The net file, and {host: leaf}."""
    lines, place = [], {}
    for leaf in range(leaves):
        lines.append(f'Switch {hosts + spines * links} "leaf{leaf:03}"')
        for h in range(hosts):
            name = f"host{leaf * hosts + h:05}"
            place[name] = f"leaf{leaf:03}"
            lines.append(f'[{h + 1}] "{name}"[1]')
        for spine in range(spines):
            for k in range(links):
                lines.append(f'[{hosts + spine * links + k + 1}] "spine{spine:03}"[{leaf * links + k + 1}]')
        lines.append("")
    for spine in range(spines):
        lines.append(f'Switch {leaves * links} "spine{spine:03}"')
        for leaf in range(leaves):
            for k in range(links):
                lines.append(f'[{leaf * links + k + 1}] "leaf{leaf:03}"[{hosts + spine * links + k + 1}]')
        lines.append("")
    for name, leaf in place.items():
        lines += [f'Hca 1 "{name}"', f'[1] "{leaf}"[{int(name[4:]) % hosts + 1}]', ""]
    return "\n".join(lines) + "\n", place


class Subnet:
    """ibsim over a net file, with its console and an ibnetdiscover that talks to it."""

    def __init__(self, folder, net):
        self.folder = folder
        library = next(pathlib.Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"topolaunch{os.getpid()}",
                                OSM_CACHE_DIR=str(folder), OSM_TMP_DIR=str(folder))
        log = open(folder / "ibsim.log", "w")
        self.process = subprocess.Popen(
            ["ibsim", "-s", "-N", "4000", "-S", "2048", "-P", "100000", str(net)],
            stdin=subprocess.PIPE, stdout=log, stderr=log, text=True, env=self.environment)
        end = time.monotonic() + 60
        while "sim>" not in (folder / "ibsim.log").read_text():
            if time.monotonic() > end or self.process.poll() is not None:
                raise SystemExit("ibsim did not start: " + (folder / "ibsim.log").read_text()[-400:])
            time.sleep(0.1)
        programs = folder / "bin"
        programs.mkdir()
        self.preload = {"LD_PRELOAD": str(library), "SIM_HOST": "host00003"}
        wrapper = programs / "ibnetdiscover"
        wrapper.write_text("#!/bin/sh\n" + "".join(f"export {k}={v}\n" for k, v in self.preload.items()) +
                           f"exec {shutil.which('ibnetdiscover')} \"$@\"\n")
        wrapper.chmod(0o755)
        self.environment["PATH"] = f"{programs}:{os.environ['PATH']}"

    def sweep(self):
        subprocess.run(["opensm", "-o", "-f", str(self.folder / "osm.log"), "-R", "ftree", "-e"],
                       env={**self.environment, **self.preload}, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=550, check=True)

    def unlink(self, node, port):
        self.process.stdin.write(f'Unlink "{node}"[{port}]\n')
        self.process.stdin.flush()
        time.sleep(1)

    def close(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


def places(topology):
    """{host: leaf}, and the warnings' messages by code."""
    at = {host: box["name"] for box in topology["fabric"]["switches"] for host in box["hosts"]}
    said = {}
    for warning in topology["warnings"]:
        said.setdefault(warning["code"], []).append(warning["message"])
    return at, said


def look(topolaunch, argument, environment):
    began = time.monotonic()
    run = subprocess.run([topolaunch, "topo", "--topology", argument, "--json"], env=environment,
                         capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        raise SystemExit(f"topo --topology {argument}: {run.returncode}: {run.stderr}")
    return *places(json.loads(run.stdout)), time.monotonic() - began


def check(topolaunch, count):
    leaves, hosts, spines, links = SHAPES[count]
    text, want = net_file(leaves, hosts, spines, links)
    faults = []
    with tempfile.TemporaryDirectory(prefix="topolaunch-ibsim-") as name:
        folder = pathlib.Path(name)
        net = folder / "net"
        net.write_text(text)
        subnet = Subnet(folder, net)
        try:
            subnet.sweep()
            times = []
            dump = folder / "dump.txt"
            dump.write_bytes(subprocess.run(["ibnetdiscover"], env=subnet.environment, check=True,
                                            capture_output=True).stdout)
            for argument in ("ibnetdiscover:", str(dump), str(net)):
                at, said, took = look(topolaunch, argument, subnet.environment)
                times.append(took)
                if at != want:
                    wrong = [h for h in want if at.get(h) != want[h]]
                    faults.append(f"{argument}: {len(at)} hosts, {len(wrong)} on another leaf, {wrong[:3]}")
                if "ib-trunk-missing" in said:
                    faults.append(f"{argument}: {said['ib-trunk-missing'][0]}")
            port = hosts + 2 * links + 1  # leaf003's first link to spine002
            subnet.unlink("leaf003", port)
            subnet.sweep()
            at, said, _ = look(topolaunch, "ibnetdiscover:", subnet.environment)
            found = said.get("ib-trunk-missing", [])
            if at != want or len(found) != 1 or "leaf003" not in found[0] or "spine002" not in found[0]:
                faults.append(f"unlinked leaf003[{port}] to spine002: {found}")
        finally:
            subnet.close()
    print(f"{count:5} hosts, {leaves} leaves, {spines} spines: live {times[0]:.2f} s, dump {times[1]:.2f} s, "
          f"net {times[2]:.2f} s; unlinked: {found}; {'FAILED' if faults else 'equal'}", flush=True)
    for fault in faults:
        print("      " + fault)
    return not faults


def main():
    missing = [p for p in ("ibsim", "opensm", "ibnetdiscover") if shutil.which(p) is None]
    if missing:
        print("skipped: not here: " + " ".join(missing))
        sys.exit(77)
    counts = [int(word) for word in sys.argv[2:]] or sorted(SHAPES)
    sys.exit(0 if all([check(os.path.abspath(sys.argv[1]), count) for count in counts]) else 1)


main()
