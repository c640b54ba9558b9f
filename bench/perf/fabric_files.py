#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time of reading large files of networks, from the command line to the JSON.

    fabric_files.py TOPOLAUNCH

An ibnetdiscover dump of more than 5,000 lines, Slurm trees of 8,192 hosts (conf and yaml), a Kubernetes
list of 4,096 nodes, and a matrix of 256 hosts, all made up on the spot. Prints; never fails.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile


def ib_dump(leaves=32, hosts=40, spines=8):
    lines = ["#", "# Topology file: generated", "#"]
    spine_of = lambda s: f"S-{0xa000 + s:016x}"
    leaf_of = lambda l: f"S-{0xb000 + l:016x}"
    host_of = lambda h: f"H-{0xc000 + h:016x}"
    for l in range(leaves):
        lines += ["", "vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{0xb000 + l:x}",
                  f'Switch\t64 "{leaf_of(l)}"\t\t# "MF0;leaf-{l:02}:MQM9700/U1" base port 0 lid 1 lmc 0']
        for h in range(hosts):
            n = l * hosts + h
            lines.append(f'[{h + 1}]\t"{host_of(n)}"[1]({n:x}) \t\t# "n{n:05} mlx5_0" lid 7 4xNDR')
        for s in range(spines):
            lines.append(f'[{hosts + 1 + s}]\t"{spine_of(s)}"[{l + 1}]\t\t# "MF0;spine-{s:02}:MQM9700/U1" lid 2 4xNDR')
    for s in range(spines):
        lines += ["", f'Switch\t64 "{spine_of(s)}"\t\t# "MF0;spine-{s:02}:MQM9700/U1" base port 0 lid 2 lmc 0']
        lines += [f'[{l + 1}]\t"{leaf_of(l)}"[{hosts + 1 + s}]\t\t# "MF0;leaf-{l:02}:MQM9700/U1" lid 1 4xNDR'
                  for l in range(leaves)]
    for n in range(leaves * hosts):
        lines += ["", f"sysimgguid=0x{0xc000 + n:x}", f'Ca\t1 "{host_of(n)}"\t\t# "n{n:05} mlx5_0"',
                  f'[1]({n:x}) \t"{leaf_of(n // hosts)}"[{n % hosts + 1}]\t\t# lid 7 lmc 0 "MF0;leaf-{n // hosts:02}:MQM9700/U1" lid 1 4xNDR']
    return "\n".join(lines) + "\n"


def slurm_tree(hosts=8192, leaf=32, spine=16):
    lines = [f"SwitchName=leaf{l} Nodes=n[{l * leaf:05}-{(l + 1) * leaf - 1:05}]" for l in range(hosts // leaf)]
    lines += [f"SwitchName=spine{s} Switches=leaf[{s * spine}-{(s + 1) * spine - 1}]" for s in range(hosts // leaf // spine)]
    return "\n".join(lines + [f"SwitchName=core Switches=spine[0-{hosts // leaf // spine - 1}]"]) + "\n"


def slurm_yaml(hosts=8192, leaf=32):
    lines = ["- topology: big", "  cluster_default: true", "  tree:", "    switches:"]
    for l in range(hosts // leaf):
        lines += [f"      - switch: leaf{l}", f"        nodes: n[{l * leaf:05}-{(l + 1) * leaf - 1:05}]"]
    return "\n".join(lines + ["      - switch: core", f"        children: leaf[0-{hosts // leaf - 1}]"]) + "\n"


def nodes(count=4096):
    def node(n):
        labels = {"topology.k8s.aws/network-node-layer-1": "nn-top", "topology.k8s.aws/network-node-layer-2": f"nn-mid{n // 256}",
                  "topology.k8s.aws/network-node-layer-3": f"nn-leaf{n // 16}", "node.kubernetes.io/instance-type": "p5.48xlarge"}
        return {"kind": "Node", "metadata": {"name": f"node{n}", "labels": labels}, "status": {"allocatable": {"nvidia.com/gpu": "8"}}}
    return json.dumps({"kind": "List", "items": [node(n) for n in range(count)]}, indent=1)


def matrix(hosts=256, leaf=16):
    names = [f"h{i}" for i in range(hosts)]
    rows = [",".join(["latency_us"] + names)]
    rows += [",".join([names[a]] + ["-" if a == b else f"{(2 if a // leaf == b // leaf else 4.5) + (a * b % 7) / 50:.2f}"
                                    for b in range(hosts)]) for a in range(hosts)]
    return "\n".join(rows) + "\n"


def main():
    with tempfile.TemporaryDirectory(prefix="topolaunch-perf-") as folder:
        for name, text in (("ibnetdiscover dump", ib_dump()), ("Slurm tree, 8,192 hosts", slurm_tree()),
                           ("Slurm yaml, 8,192 hosts", slurm_yaml()), ("Kubernetes, 4,096 nodes", nodes()),
                           ("latencies, 256 hosts", matrix())):
            path = pathlib.Path(folder) / "file"
            path.write_text(text)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run = subprocess.run([sys.argv[1], "topo", "--topology", str(path), "--json"], capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            hosts = len(json.loads(run.stdout)["hosts"]) if run.returncode == 0 else run.stderr.strip()
            print(f"{name:24} {text.count(chr(10)):6} lines  {hosts} hosts  {cpu:.3f} s CPU", flush=True)


main()
