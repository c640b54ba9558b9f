#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the machines of this folder: nvml.json, hwloc.xml and root.txt of each, from machines.py.

    tests/machine/generate.py            all of them
    tests/machine/generate.py NAME...    these

What was written is committed; the tests don't run this. README.md says what the files are.
"""
import json
import os
import sys
from xml.sax.saxutils import quoteattr

import machines

HERE = os.path.dirname(os.path.abspath(__file__))


def mask(numbers):
    """hwloc's bitmap text: 32-bit words, most significant first."""
    value = sum(1 << n for n in numbers)
    words = []
    while True:
        words.append("0x%08x" % (value & 0xFFFFFFFF))
        value >>= 32
        if not value:
            return ",".join(reversed(words))


def ranges(numbers):
    numbers = sorted(numbers)
    out = []
    for n in numbers:
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join("%d-%d" % (a, b) if a != b else str(a) for a, b in out)


class Cpus:
    """Numbers the CPUs as Linux does: first threads of all cores, then second threads."""

    def __init__(self, machine):
        self.smt = machine.get("smt", 2)
        self.per_node = machine["cores_per_node"]
        nodes = [n for package in machine["packages"] for n in package]
        self.cores = len(nodes) * self.per_node
        self.of_node, self.cores_of = {}, {}
        for i, node in enumerate(nodes):
            first = range(i * self.per_node, (i + 1) * self.per_node)
            self.cores_of[node] = [[c + t * self.cores for t in range(self.smt)] for c in first]
            self.of_node[node] = [cpu for core in self.cores_of[node] for cpu in core]
        self.all = [cpu for cpus in self.of_node.values() for cpu in cpus]


class Xml:
    """hwloc's XML, version 2.0, as lstopo writes it."""

    def __init__(self, machine, cpus):
        self.machine, self.cpus, self.lines, self.id, self.depth = machine, cpus, [], 0, 1
        self.memory_nodes = machine.get("gpu_memory_nodes", {})
        self.nodes = list(cpus.of_node) + list(self.memory_nodes)
        self.core = 0

    def open(self, type_, close=False, **attributes):
        self.id += 1
        text = "".join(" %s=%s" % (k, quoteattr(str(v))) for k, v in attributes.items())
        self.lines.append('%s<object type="%s" gp_index="%d"%s%s>' % ("  " * self.depth, type_, self.id, text, "/" if close else ""))
        if not close:
            self.depth += 1

    def close(self):
        self.depth -= 1
        self.lines.append("  " * self.depth + "</object>")

    def info(self, name, value):
        self.lines.append("%s<info name=%s value=%s/>" % ("  " * self.depth, quoteattr(name), quoteattr(value)))

    def sets(self, cpus, nodes):
        return dict(cpuset=mask(cpus), complete_cpuset=mask(cpus), nodeset=mask(nodes), complete_nodeset=mask(nodes))

    def numa(self, node, cpus, memory, owner=None):
        extra = {"subtype": "GPUMemory"} if owner else {}
        self.open("NUMANode", os_index=node, **self.sets(cpus, [node]), local_memory=memory, **extra)
        if owner:
            self.info("PCIBusID", owner)
        self.close()

    def devices(self, node):
        tree = {}
        for device in self.machine["devices"]:
            if device.get("bus_node", device["node"]) != node or device.get("hidden"):
                continue
            path = device["path"] + [device["pci"]]
            at = tree.setdefault(path[0].rsplit(":", 1)[0], {})
            for part in path[:-1]:
                at = at.setdefault(part, {})
            at.setdefault(path[-1], []).append(device)
        for bus, below in sorted(tree.items()):
            domain, number = bus.rsplit(":", 1)
            self.open("Bridge", bridge_type="0-1", depth=0, bridge_pci="%s:[%s-ff]" % (domain, number))
            self.bridges(below, 1)
            self.close()

    def bridges(self, below, depth):
        for address, what in sorted(below.items()):
            if isinstance(what, dict):
                self.open("Bridge", bridge_type="1-1", depth=depth,
                          bridge_pci="%s:[%s-ff]" % (address.rsplit(":", 2)[0], address.rsplit(":", 2)[1]),
                          pci_busid=address, pci_type="0604 [1000:c030] [1000:1003] b0", pci_link_speed="63.015385")
                self.bridges(what, depth + 1)
                self.close()
            else:
                for device in what:
                    self.device(device)

    def device(self, device):
        self.open("PCIDev", pci_busid=device["pci"],
                  pci_type="%s [%s:%s] [0000:0000] a1" % (device["class"], device["vendor"], device["device"]),
                  pci_link_speed="63.015385")
        if device["kind"] == "gpu" and self.machine.get("xml_nvml"):
            self.open("OSDev", name="nvml%d" % device["index"], osdev_type=1)
            self.info("Backend", "NVML")
            self.info("GPUModel", device["model"])
            self.info("NVIDIAUUID", device["uuid"])
            self.close()
        if device.get("net"):
            self.open("OSDev", close=True, name=device["net"], osdev_type=2)
        if device.get("rdma"):
            self.open("OSDev", close=True, name=device["rdma"], osdev_type=3)
        self.close()

    def text(self):
        machine, cpus = self.machine, self.cpus
        self.open("Machine", os_index=0, **self.sets(cpus.all, self.nodes),
                  allowed_cpuset=mask(cpus.all), allowed_nodeset=mask(self.nodes))
        self.info("Architecture", machine["arch"])
        self.info("HostName", machine["name"])
        for number, package in enumerate(machine["packages"]):
            in_package = [c for node in package for c in cpus.of_node[node]]
            of_gpus = [n for n, (owner, _, beside) in self.memory_nodes.items() if beside in package]
            self.open("Package", os_index=number, **self.sets(in_package, package + of_gpus))
            for name, value in machine["cpu"].items():
                self.info(name, value)
            for node in of_gpus:
                owner, memory, _ = self.memory_nodes[node]
                if len(package) > 1:
                    self.numa(node, in_package, memory, owner)
            for node in package:
                if len(package) > 1:
                    self.open("Group", **self.sets(cpus.of_node[node], [node]), kind=1001, subkind=0)
                self.numa(node, cpus.of_node[node], machine["memory_per_node"])
                if len(package) == 1:
                    for extra in of_gpus:
                        owner, memory, _ = self.memory_nodes[extra]
                        self.numa(extra, in_package, memory, owner)
                for core in cpus.cores_of[node]:
                    self.open("Core", os_index=self.core, **self.sets(core, [node]))
                    self.core += 1
                    for cpu in core:
                        self.open("PU", close=True, os_index=cpu, **self.sets([cpu], [node]))
                    self.close()
                self.devices(node)
                if len(package) > 1:
                    self.close()
            self.close()
        self.devices(None)
        self.close()
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">\n'
        return head + "\n".join(self.lines) + "\n</topology>\n"


def nvml_json(machine, cpus):
    out = dict(machine["nvml"])
    gpus = []
    for device in machine["devices"]:
        if device["kind"] != "gpu" or device.get("unreachable"):
            continue
        gpu = {"uuid": device["uuid"], "pci": device["pci"], "name": device["model"], "memory": device["memory"],
               "compute_capability": device["capability"]}
        near = device.get("near", device["node"])
        if near is not None:
            gpu["cpus"] = ranges(cpus.of_node[near])
            gpu["nodes"] = device.get("nodes", str(near))
        for key in ("memory_node", "pcie", "nvlink", "c2c", "mig", "fabric", "fails"):
            if key in device:
                gpu[key] = device[key]
        gpus.append(gpu)
    if gpus:
        out["gpus"] = gpus
    return json.dumps(out, indent=1) + "\n"


def root_txt(machine):
    """PATH = content, PATH -> where the link points. Only what discovery reads."""
    lines = ["# The part of /sys that discovery reads. PATH = CONTENT, PATH -> TARGET of a link, PATH/ a folder"]
    lines.append("sys/class/net/")
    for device in machine["devices"]:
        path = device["path"] + [device["pci"]]
        folder = "sys/devices/pci%s/%s" % (path[0].rsplit(":", 1)[0], "/".join(path))
        up = "../../../" + folder[4:]
        lines.append("%s/vendor = 0x%s" % (folder, device["vendor"]))
        lines.append("%s/class = 0x%s00" % (folder, device["class"]))
        lines.append("%s/numa_node = %d" % (folder, -1 if device["node"] is None else device["node"]))
        lines.append("sys/bus/pci/devices/%s -> ../../../../%s" % (device["pci"], folder))
        if device.get("driver"):
            lines.append("%s/uevent = DRIVER=%s" % (folder, device["driver"]))
        if device.get("rdma"):
            rdma = "%s/infiniband/%s" % (folder, device["rdma"])
            lines += ["%s/device -> ../../../%s" % (rdma, device["pci"]),
                      "%s/node_guid = %s" % (rdma, device["guid"]),
                      "%s/ports/1/rate = %s" % (rdma, device["rate"]),
                      "%s/ports/1/state = %s" % (rdma, device.get("state", "4: ACTIVE")),
                      "%s/ports/1/link_layer = %s" % (rdma, device["layer"]),
                      "sys/class/infiniband/%s -> ../../../%s" % (device["rdma"], rdma)]
        if device.get("net"):
            net = "%s/net/%s" % (folder, device["net"])
            lines += ["%s/device -> ../../../%s" % (net, device["pci"]), "%s/type = %d" % (net, device.get("net_type", 1)),
                      "%s/operstate = up" % net, "%s/speed = %d" % (net, device["speed"]),
                      "sys/class/net/%s -> ../../../%s" % (device["net"], net)]
    return "\n".join(lines) + "\n"


def main():
    names = sys.argv[1:] or [m["name"] for m in machines.MACHINES]
    for machine in machines.MACHINES:
        if machine["name"] not in names:
            continue
        folder = os.path.join(HERE, machine["name"])
        os.makedirs(folder, exist_ok=True)
        cpus = Cpus(machine)
        for name, text in (("nvml.json", nvml_json(machine, cpus)), ("hwloc.xml", Xml(machine, cpus).text()),
                           ("root.txt", root_txt(machine))):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)


if __name__ == "__main__":
    main()
