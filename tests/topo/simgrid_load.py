#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SimGrid itself loads the platforms and routes over the links that they should.

    simgrid_load.py TOPOLAUNCH

Ends with 77 (skipped) without libsimgrid-dev.
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <simgrid/s4u.hpp>
#include <cstdio>
int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform();
  std::printf("%zu", engine.get_host_count());
  std::vector<simgrid::s4u::Link*> links;
  double latency = 0;
  engine.host_by_name(argv[2])->route_to(engine.host_by_name(argv[3]), links, &latency);
  for (const auto* link : links) std::printf(" %.4g", link->get_bandwidth());
}
"""

# spec, from, to: how many SimGrid hosts, and bytes/s of each link on the way
CASES = [
    ("synthetic:16 host, 8 gpu h100, 8 nic ndr, 4 host/leaf, 4:1", "host0.gpu1", "host9.gpu7",
     "128 4.5e+11 4e+11 4e+11 4e+11 4e+11 4.5e+11"),
    ("synthetic:16 host, 8 gpu h100, 8 nic ndr, 4 host/leaf, 4:1", "host0.gpu1", "host0.gpu7",
     "128 4.5e+11 4.5e+11"),
    ("synthetic:8 gpu v100", "host0.gpu0", "host0.gpu3", "8 5e+10"),
    ("synthetic:1024 host, 8 gpu h100, 8 nic ndr, 32 host/leaf", "host0.gpu0", "host1000.gpu3",
     "8192 4.5e+11 4e+11 1.28e+13 1.28e+13 4e+11 4.5e+11"),
]


def main():
    topolaunch = sys.argv[1]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "load.cpp").write_text(PROGRAM)
        built = subprocess.run(["g++", "-std=c++17", scratch / "load.cpp", "-lsimgrid", "-o",
                                scratch / "load"], capture_output=True, text=True)
        if built.returncode != 0:
            print("skipped: no SimGrid to build against (apt-get install libsimgrid-dev)")
            return 77
        faults = 0
        for spec, source, target, expected in CASES:
            with open(scratch / "platform.xml", "w") as out:
                subprocess.run([topolaunch, "topo", "--topology", spec, "--format", "simgrid"],
                               stdout=out, check=True)
            done = subprocess.run([scratch / "load", scratch / "platform.xml", source, target],
                                  capture_output=True, text=True)
            good = done.returncode == 0 and done.stdout.strip() == expected
            faults += not good
            print("ok" if good else "FAULT", spec, done.stdout.strip(), "" if good else done.stderr[:300])
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
