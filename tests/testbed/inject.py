#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inject: does --validate full name what is wrong, and nobody where nothing is?

  inject.py BUILD_FOLDER [--trials 10] [--clean 20] [--only link,clean] [--log FILE] [--keep FOLDER]

Puts one fault at a time into a machine and runs `topolaunch --validate full -- true` on it. Another
host, leaf or rank each trial; the faults take turns, so that a run that is cut short has as many
trials of each. On a bed of hosts (tests/testbed/bed, 16 hosts under 4 leaves):
  link      a host's link at half its rate
  uplink    a leaf's uplink at half its rate
  throttle  a host whose processes get a twentieth of a CPU (cgroup quota)
  host      two hosts have each other's address: their ranks are where they shouldn't be
  worlds    the measuring program starts as worlds of one rank
  clean     none: whatever fails is a false alarm
On this machine with GPUs that aren't there (tests/support/nvml_replay and fake_gpu):
  device    two ranks on one GPU
  element   the library leaves a wrong element in the result
  links     a GPU of the profile has lost a link
  fast      the GPUs' clock runs at a hundredth: everything looks a hundred times as fast as before
  clean-gpu none
Prints (and appends to --log at once) a line a trial with the load of the machine, then the table of
hits, misses and false alarms; --keep keeps what was measured. Exits with 1 if a fault was missed or somebody was named who was not
at fault. Needs root, mpirun and iproute2.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BED = HERE / "bed"
BURST, LIMIT = "256kb", "2mb"  # as the bed's
ON_BED = ["link", "uplink", "throttle", "host", "worlds", "clean"]
ON_GPUS = ["device", "element", "links", "fast", "clean-gpu"]
ROOT_MAY = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def cpu_groups():
    """Where groups with a CPU quota can be made: cgroup v1's cpu controller, or v2 where it is on."""
    for line in open("/proc/self/mountinfo"):
        fields = line.split()
        dash = fields.index("-")
        mount = pathlib.Path(fields[4])
        if fields[dash + 1] == "cgroup" and "cpu" in fields[dash + 3].split(","):
            return mount
        if fields[dash + 1] == "cgroup2" and "cpu" in (mount / "cgroup.subtree_control").read_text().split():
            return mount
    sys.exit("inject: no cgroup with a CPU controller can be made here")


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


class Trial:
    """What one run said: its failed and untested checks, and the text of a refusal."""

    def __init__(self, done, runs, keep):
        self.status = done.returncode
        self.words = done.stderr
        self.checks = []
        newest = sorted(runs.iterdir())[-1:] if runs.exists() else []
        for run in newest:
            if (run / "verdict.json").exists():
                self.checks = json.loads((run / "verdict.json").read_text())["checks"]
            if keep and (run / "measurement.json").exists():
                shutil.copy(run / "measurement.json", keep)
            shutil.rmtree(run)
        self.bad = [c for c in self.checks if c["verdict"] in ("fail", "could-not-test")]

    def suspects(self):
        return [c.get("suspect") or c["measured"] for c in self.bad]

    def evidence(self, at_fault):
        """Of what was named without being at fault."""
        return "".join(f"\n      {c['name']}: {c.get('suspect')}: {c['measured']}" for c in self.bad
                       if not (at_fault and at_fault in (c.get("suspect") or c["measured"])))


class Bed:
    keep = None

    def __init__(self, args, folder):
        self.name, self.rate, self.folder, self.build = f"in{os.getpid() % 10000}", args.rate, folder, args.build
        self.uplink = args.rate * 2  # oversubscribed, as fabrics are
        self.call("up", str(args.hosts), str(args.per_leaf), f"{self.rate}mbit", f"{self.uplink}mbit")
        self.conf = json.loads(self.call("info"))
        self.agent = self.call("agent").strip()
        self.topology = folder / "topology.conf"
        self.topology.write_text(self.call("slurm-topology"))
        self.hosts = [h["name"] for h in self.conf["hosts"]]
        self.slow_group = cpu_groups() / f"topolaunch-bed-{self.name}-slow"

    def call(self, *words):
        done = subprocess.run([str(BED), "--name", self.name, *words], text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"inject: bed {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def down(self):
        self.call("down")
        for _ in range(50):
            try:
                if self.slow_group.exists():
                    self.slow_group.rmdir()
                return
            except OSError:
                time.sleep(0.1)

    def set_link(self, host, share):
        self.call("rate", host, f"{int(self.rate * share)}mbit")

    def set_uplink(self, leaf, share):
        for end in ("up", "dn"):
            subprocess.run(["tc", "-n", f"{self.name}-fabric", "qdisc", "change", "dev", f"{end}{leaf}", "root",
                            "tbf", "rate", f"{int(self.uplink * share)}mbit", "burst", BURST, "limit", LIMIT],
                           check=True)

    def set_quota(self, quota):
        """A group for the throttled host's processes; None takes the limit off."""
        self.slow_group.mkdir(exist_ok=True)
        if (self.slow_group / "cpu.max").exists():
            (self.slow_group / "cpu.max").write_text("max 100000" if quota is None else f"{quota} 100000")
        else:
            (self.slow_group / "cpu.cfs_quota_us").write_text("-1" if quota is None else str(quota))

    def launch(self, throttled=None, swapped=None, worlds=False):
        cases = "".join(f"{h['address']}) host={h['name']};; " for h in self.conf["hosts"])
        text = f"host=$1; shift\ncase $host in {cases}esac\n"
        if swapped:
            text += f"case $host in {swapped[0]}) host={swapped[1]};; {swapped[1]}) host={swapped[0]};; esac\n"
        if throttled:
            text += f'[ "$host" = {throttled} ] && echo $$ > {self.slow_group}/cgroup.procs\n'
        agent = script(self.folder / "agent", text + f'exec {self.agent} "$host" "$@"\n')
        topobench = self.build / "bench/topobench"
        if worlds:  # as when it was built with another MPI than the one that starts it
            topobench = script(self.folder / "topobench",
                               f'exec env -i PATH="$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 '
                               f'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {topobench} "$@"\n')
        mca = "--mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/16 --mca mpi_yield_when_idle 1"
        done = subprocess.run(
            [str(BED), "--name", self.name, "exec", "head", "env",
             f"TOPOLAUNCH_STATE_DIR={self.folder}/state", f"TOPOLAUNCH_TOPOBENCH={topobench}",
             str(self.build / "launcher/topolaunch"), "--topology", str(self.topology),
             "--link-rate", f"host={self.rate}Mb/s,uplink={self.uplink}Mb/s", "--bytes", "1M",
             "--hosts", ",".join(self.hosts), "--validate", "full",
             "--engine-args", f"--mca plm_rsh_agent {agent} {mca}", "--", "true"],
            text=True, capture_output=True, timeout=900)
        return Trial(done, self.folder / "state/runs", self.keep)

    def run(self, fault, rng):
        """(what has to be named, the trial)"""
        host, leaf = rng.choice(self.hosts), rng.randrange(len(self.conf["leaves"]))
        if fault == "link":
            self.set_link(host, 0.5)
            trial = self.launch()
            self.set_link(host, 1)
            return f"link of host {host}", trial
        if fault == "uplink":
            self.set_uplink(leaf, 0.5)
            trial = self.launch()
            self.set_uplink(leaf, 1)
            return f"uplink of leaf leaf{leaf}", trial
        if fault == "throttle":
            self.set_quota(5000)
            trial = self.launch(throttled=host)
            self.set_quota(None)
            return f"host {host}", trial
        if fault == "host":
            other = rng.choice([h for h in self.hosts if h != host])
            return host, self.launch(swapped=(host, other))
        if fault == "worlds":
            return "worlds of one rank", self.launch(worlds=True)
        return None, self.launch()


class Gpus:
    keep = None

    def __init__(self, args, folder):
        self.build, self.folder, self.ranks = args.build, folder, 2
        self.profile = json.loads((HERE.parent / "machine/nvswitch-8/nvml.json").read_text())
        for gpu in self.profile["gpus"]:  # of this machine
            gpu.update(cpus=",".join(map(str, sorted(os.sched_getaffinity(0)))), nodes="0")

    def down(self):
        pass

    def launch(self, wrapper="", profile=None, fault="", again=False):
        if not again:  # nothing to hold the figures against: a busy CPU is no steady GPU
            shutil.rmtree(self.folder / "gpu-state", ignore_errors=True)
        profile_file = self.folder / "nvml.json"
        profile_file.write_text(json.dumps(profile or self.profile))
        program = self.build / "tests/support/fake_gpu/topobench_fake_gpu"
        topobench = script(self.folder / "topobench-gpu", f'{wrapper}exec {program} "$@"\n')
        done = subprocess.run(
            [str(self.build / "launcher/topolaunch"), "-n", str(self.ranks), "--validate", "full", "--", "true"],
            env=dict(ROOT_MAY, TOPOLAUNCH_STATE_DIR=f"{self.folder}/gpu-state", TOPOLAUNCH_TOPOBENCH=str(topobench),
                     TOPOLAUNCH_NVML_PROFILE=str(profile_file), FAKE_GPUS=str(len(self.profile["gpus"])),
                     LD_LIBRARY_PATH=str(self.build / "tests/support/nvml_replay"), FAKE_GPU_FAULT=fault,
                     OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1"),
            text=True, capture_output=True, timeout=900)
        return Trial(done, self.folder / "gpu-state/runs", self.keep)

    def run(self, fault, rng):
        if fault == "device":
            return "are both on GPU", self.launch(wrapper="export LOCAL_RANK=0\n")
        if fault == "element":
            return "wrong at", self.launch(fault="corrupt")
        if fault == "links":
            profile = json.loads(json.dumps(self.profile))
            gpu = rng.randrange(self.ranks)
            profile["gpus"][gpu]["nvlink"]["links"][0]["count"] -= 1
            return f"GPU {gpu} ", self.launch(profile=profile)
        if fault == "fast":
            self.launch()
            return "too fast", self.launch(fault="fast_clock", again=True)
        return None, self.launch()


def main():
    parser = argparse.ArgumentParser(prog="inject", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--per-leaf", type=int, default=4)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--clean", type=int, default=20)
    parser.add_argument("--rate", type=int, default=100, help="of a host's link, Mbit/s")
    parser.add_argument("--only", default=",".join(ON_BED + ON_GPUS))
    parser.add_argument("--log", type=pathlib.Path, help="a line a trial is added to it")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("inject: needs root (namespaces, cgroups)")
    wanted = args.only.split(",")
    for fault in wanted:
        if fault not in ON_BED + ON_GPUS:
            sys.exit(f"inject: there is no fault {fault}")
    rng = random.Random(args.seed)
    most = max(args.trials, args.clean)
    trials = [(fault, t) for t in range(most) for fault in wanted
              if t * (args.clean if fault.startswith("clean") else args.trials) // most
              != (t + 1) * (args.clean if fault.startswith("clean") else args.trials) // most]
    table = collections.OrderedDict()

    def say(text):
        print(text, flush=True)
        if args.log:
            with args.log.open("a") as log:
                log.write(text + "\n")

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        machines = {}
        try:
            for fault, number in trials:
                kind = Bed if fault in ON_BED else Gpus
                if kind not in machines:
                    machines[kind] = kind(args, folder)
                began, load = time.monotonic(), os.getloadavg()[0]
                machines[kind].keep = args.keep and args.keep / f"{fault}-{number}.json"
                at_fault, trial = machines[kind].run(fault, rng)
                row = table.setdefault(fault, {"trials": 0, "hits": 0, "misses": 0, "false": 0})
                row["trials"] += 1
                suspects = trial.suspects()
                if not trial.checks and trial.status != 0:
                    suspects = [trial.words.strip()]  # refused before anything was measured
                hits = [s for s in suspects if at_fault and at_fault in s]
                row["hits"] += 1 if hits else 0
                row["misses"] += 1 if at_fault and not hits else 0
                # A fault that nothing could be measured with says so in further checks.
                others = [c for c in trial.bad if c["verdict"] == "fail" and
                          not (at_fault and at_fault in (c.get("suspect") or c["measured"]))]
                row["false"] += len(others)
                words = "; ".join(s.replace("\n", " ")[:160] for s in suspects) or "nobody"
                say(f"{fault:9} {number:3}  {'hit ' if hits else 'MISS' if at_fault else 'ok  ' if not others else 'FALSE'}"
                    f"  at fault: {at_fault or 'nobody'}; named: {words}  [{time.monotonic() - began:.0f} s, "
                    f"load {load:.1f}, status {trial.status}]{trial.evidence(at_fault)}")
        finally:
            for machine in machines.values():
                machine.down()
    say(f"\n{'fault':9} {'trials':>6} {'hits':>6} {'misses':>6} {'false alarms':>12}")
    for fault, row in table.items():
        say(f"{fault:9} {row['trials']:6} {row['hits']:6} {row['misses']:6} {row['false']:12}")
    sys.exit(1 if any(row["misses"] or row["false"] for row in table.values()) else 0)


if __name__ == "__main__":
    main()
