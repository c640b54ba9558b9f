# SPDX-License-Identifier: Apache-2.0
"""The machines of this folder. UUIDs, GUIDs and host names are invented; the shapes are those of real
machines, from what their makers publish, with fewer cores. `node` is what the kernel says (None: -1)."""

GIB = 1 << 30
INTEL = {"CPUVendor": "GenuineIntel", "CPUFamilyNumber": "6", "CPUModelNumber": "143"}
AMD = {"CPUVendor": "AuthenticAMD", "CPUFamilyNumber": "25", "CPUModelNumber": "17"}
GRACE = {"CPUImplementer": "0x41", "CPUArchitecture": "8"}
GEN5 = {"generation": 5, "width": 16}
GEN4 = {"generation": 4, "width": 16}
GEN3 = {"generation": 3, "width": 16}


def uuid(machine, index):
    return "GPU-%08x-7a11-4b0c-9d2e-00000000%04x" % (machine, index)


def gpu(machine, index, pci, node, path, model, memory, capability, device, **more):
    return dict(kind="gpu", index=index, uuid=uuid(machine, index), pci=pci, node=node, path=path, model=model,
                memory=memory, capability=capability, vendor="10de", device=device, **{"class": "0302", **more})


def infiniband(name, pci, node, path, rate="400 Gb/sec (4X NDR)", **more):
    return dict(kind="nic", pci=pci, node=node, path=path, vendor="15b3", device="1021", rdma=name, rate=rate,
                layer="InfiniBand", driver="mlx5_core", guid="a088:c203:%s:00%s" % (pci[:-8][-4:], pci[-7:-5]), **{"class": "0207", **more})


def ethernet(name, pci, node, path, speed, **more):
    return dict(kind="nic", pci=pci, node=node, path=path, vendor="8086", device="1563", net=name, speed=speed,
                **{"class": "0200", "driver": "ixgbe", **more})


def bmc():
    """The screen of a management controller: of class VGA, and no GPU."""
    return dict(kind="vga", pci="0000:03:00.0", node=0, path=["0000:00:1c.0"], vendor="1a03", device="2000", **{"class": "0300"})


def to_switch(count, speed, version, pci="0000:05:00.0"):
    return {"version": version, "speed": speed, "links": [{"to": "switch", "pci": pci, "count": count}]}


# --- nvswitch-8, dead-links: DGX H100. GPU and NIC of a pair below one PCIe switch.
H100 = [("1b", "18", "17", 0), ("43", "40", "3f", 0), ("52", "4f", "4e", 0), ("61", "5e", "5d", 0),
        ("9d", "9a", "99", 1), ("c3", "c0", "bf", 1), ("d1", "ce", "cd", 1), ("df", "dc", "db", 1)]


def dgx_h100(name, number, links=None, reachable=range(8)):
    devices = [bmc()]
    for i, (bus, nic, up, node) in enumerate(H100):
        port = "0000:%02x:01.0" % (int(up, 16) - 2)
        switch = [port, "0000:%02x:00.0" % (int(up, 16) - 1)]
        more = {} if i in reachable else {"unreachable": True}
        devices.append(gpu(number, i, "0000:%s:00.0" % bus, node, switch + ["0000:%s:04.0" % up], "NVIDIA H100 80GB HBM3",
                           85520809984, "9.0", "2330", pcie=GEN5,
                           nvlink=(links or {}).get(i, to_switch(18, 26562, 4)),
                           fabric={"state": "completed", "clique": 0}, **more))
        devices.append(infiniband("mlx5_%d" % i, "0000:%s:00.0" % nic, node, switch + ["0000:%s:00.0" % up]))
    devices.append(ethernet("eno1", "0000:0b:00.0", 0, ["0000:00:10.0"], 100000))
    return {"name": name, "arch": "x86_64", "cpu": INTEL, "packages": [[0], [1]], "cores_per_node": 8,
            "memory_per_node": 1024 * GIB, "devices": devices, "nvml": {"driver": "550.54.15"}}


dead = {"version": 4, "speed": 26562, "links": [{"active": False, "count": 18}]}
dead_links = dgx_h100("dead-links", 4, {5: dead})
dead_links["nvml"]["p2p"] = [[i, 5, 5] for i in range(8) if i != 5]

# --- hidden-2-of-4 is a task of a resource manager on such a host: two of eight GPUs
hidden = dgx_h100("hidden-6-of-8", 13, reachable=(2, 3))

# --- cube-mesh-8: DGX-1 with V100, links as its maker's hybrid cube mesh
V100 = [("06", 0), ("07", 0), ("0a", 0), ("0b", 0), ("85", 1), ("86", 1), ("89", 1), ("8a", 1)]
DOUBLE = [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)]
SINGLE = [(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)]


def dgx_1v():
    devices = []
    switches = {0: ["0000:00:02.0", "0000:02:00.0"], 1: ["0000:00:03.0", "0000:08:00.0"],
                2: ["0000:80:02.0", "0000:81:00.0"], 3: ["0000:80:03.0", "0000:87:00.0"]}
    ports = {0: "03", 1: "09", 2: "82", 3: "88"}
    for i, (bus, node) in enumerate(V100):
        links = []
        for count, pairs in ((2, DOUBLE), (1, SINGLE)):
            for a, b in pairs:
                if i in (a, b):
                    links.append({"to": "gpu", "pci": "0000:%s:00.0" % V100[a + b - i][0], "count": count})
        s = i // 2
        devices.append(gpu(2, i, "0000:%s:00.0" % bus, node, switches[s] + ["0000:%s:%02x.0" % (ports[s], 8 * (i % 2 + 1))],
                           "Tesla V100-SXM2-32GB", 34089730048, "7.0", "1db5", pcie=GEN3,
                           nvlink={"version": 2, "speed": 25781, "links": links}))
    for s, bus in enumerate(("05", "0c", "84", "8b")):
        devices.append(infiniband("mlx5_%d" % s, "0000:%s:00.0" % bus, s // 2, switches[s] + ["0000:%s:00.0" % ports[s]],
                                  "100 Gb/sec (4X EDR)"))
    on = {frozenset(p) for p in DOUBLE + SINGLE}
    p2p = [[a, b, 5] for a in range(8) for b in range(a + 1, 8) if frozenset((a, b)) not in on]
    return {"name": "cube-mesh-8", "arch": "x86_64", "cpu": {**INTEL, "CPUModelNumber": "79"}, "packages": [[0], [1]],
            "cores_per_node": 10, "memory_per_node": 256 * GIB, "devices": devices, "nvml": {"driver": "418.40.04", "p2p": p2p}}


# --- pcie-4-bridge: two bridged pairs of RTX A6000 (4 links each), one RoCE card beside the first pair
def pcie_4():
    buses = [("01", 0, "0000:00:01.1"), ("25", 0, "0000:20:03.1"), ("81", 1, "0000:80:01.1"), ("c1", 1, "0000:c0:03.1")]
    devices = [bmc()]
    for i, (bus, node, port) in enumerate(buses):
        peer = "0000:%s:00.0" % buses[i ^ 1][0]
        devices.append(gpu(3, i, "0000:%s:00.0" % bus, node, [port], "NVIDIA RTX A6000", 51527024640, "8.6", "2230",
                           pcie=GEN4, nvlink={"version": 3, "speed": 14062, "links": [{"to": "gpu", "pci": peer, "count": 4}]},
                           **{"class": "0300"}))
    devices.append(dict(kind="nic", pci="0000:41:00.0", node=0, path=["0000:40:01.1"], vendor="15b3", device="101d",
                        rdma="rocep65s0", net="enp65s0np0", speed=100000, rate="100 Gb/sec (4X EDR)", layer="Ethernet",
                        driver="mlx5_core", guid="b8ce:f603:0041:0000", **{"class": "0200"}))
    return {"name": "pcie-4-bridge", "arch": "x86_64", "cpu": AMD, "packages": [[0], [1]], "cores_per_node": 8,
            "memory_per_node": 128 * GIB, "devices": devices, "xml_nvml": True,
            "nvml": {"driver": "535.104.05", "fabric_struct": 2, "p2p_default": 1, "p2p": [[0, 1, 0], [2, 3, 0]]}}


# --- mig: two A100, the first one cut into three instances
def mig():
    devices = []
    for i, bus in enumerate(("07", "0f")):
        more = {}
        if i == 0:
            more["mig"] = {"slots": 7, "instances": [
                {"uuid": "MIG-5c1a0000-0000-5b11-8a3c-000000000001", "profile": "3g.20gb", "memory_mb": 19968},
                {"uuid": "MIG-5c1a0000-0000-5b11-8a3c-000000000002", "profile": "2g.10gb", "memory_mb": 9856},
                {"uuid": "MIG-5c1a0000-0000-5b11-8a3c-000000000003", "profile": "1g.5gb+me", "memory_mb": 4864}]}
        else:
            more["mig"] = {"enabled": False}
        devices.append(gpu(5, i, "0000:%s:00.0" % bus, 0, ["0000:00:%02x.1" % (i + 1)], "NVIDIA A100-SXM4-40GB", 42949672960,
                           "8.0", "20b0", pcie=GEN4, nvlink=to_switch(12, 25000, 3, "0000:c4:00.0"), **more))
    return {"name": "mig", "arch": "x86_64", "cpu": AMD, "packages": [[0]], "cores_per_node": 8, "memory_per_node": 256 * GIB,
            "devices": devices, "nvml": {"driver": "525.85.12", "p2p_default": 5}}


# --- none: a driver without GPUs. no-driver: two GPUs on the bus without a driver
def none():
    return {"name": "none", "arch": "x86_64", "cpu": INTEL, "packages": [[0]], "cores_per_node": 4, "memory_per_node": 64 * GIB,
            "devices": [bmc(), ethernet("eth0", "0000:01:00.0", None, ["0000:00:02.0"], 10000)], "nvml": {"driver": "550.54.15"}}


def no_driver():
    devices = [gpu(7, i, "0000:%s:00.0" % bus, 0, ["0000:00:0%d.0" % (i + 1)], "", 0, "9.0", "2331", unreachable=True, hidden=True)
               for i, bus in enumerate(("17", "65"))]
    return {"name": "no-driver", "arch": "x86_64", "cpu": INTEL, "packages": [[0]], "cores_per_node": 4,
            "memory_per_node": 64 * GIB, "devices": devices + [ethernet("eth0", "0000:01:00.0", 0, ["0000:00:03.0"], 25000)],
            "nvml": {"driver": "", "init": 9}}


# --- lost-gpu: the third of four has fallen off the bus; the second one's memory can't be asked for
def lost_gpu():
    devices = []
    for i, (bus, node) in enumerate((("31", 0), ("4b", 0), ("b1", 1), ("ca", 1))):
        more = {}
        if i == 1:
            more["fails"] = {"nvmlDeviceGetMemoryInfo": 999}
        if i == 2:
            more["fails"] = {"*": 15}
        devices.append(gpu(8, i, "0000:%s:00.0" % bus, node, ["0000:%02x:01.0" % (int(bus, 16) - 1)], "NVIDIA A100 80GB PCIe",
                           85899345920, "8.0", "20b5", pcie=GEN4, **more))
    devices.append(infiniband("mlx5_0", "0000:98:00.0", 1, ["0000:97:01.0"], "200 Gb/sec (4X HDR)"))
    return {"name": "lost-gpu", "arch": "x86_64", "cpu": INTEL, "packages": [[0], [1]], "cores_per_node": 6,
            "memory_per_node": 256 * GIB, "devices": devices, "nvml": {"driver": "535.104.05", "p2p_default": 0}}


# --- gb200-4: one tray of an NVL72 rack: two Grace, four GPUs whose memory is a NUMA node each
def gb200():
    places = [("0008", 0, 2), ("0009", 0, 10), ("0018", 1, 18), ("0019", 1, 26)]
    devices, memory_nodes = [], {}
    for i, (domain, node, memory_node) in enumerate(places):
        pci = "%s:01:00.0" % domain
        memory_nodes[memory_node] = (pci, 189 * GIB, node)
        devices.append(gpu(9, i, pci, node, ["%s:00:00.0" % domain], "NVIDIA GB200", 202937204736, "10.0", "2941",
                           pcie={"generation": 5, "width": 16, "generation_max": 6}, memory_node=memory_node,
                           nodes="%d,%d-%d" % (node, memory_node, memory_node + 7),
                           nvlink={"version": 5, "speed": 50000, "links": [{"to": "switch", "count": 18}]},
                           c2c={"links": 10, "speed": 44712},
                           fabric={"state": "completed", "cluster": "b1a7c0de-5e1f-4c0a-9b3d-2f6e8d4c0a72", "clique": 32766}))
    for i, (domain, node) in enumerate((("0000", 0), ("0002", 0), ("0010", 1), ("0012", 1))):
        devices.append(infiniband("mlx5_%d" % i, "%s:03:00.0" % domain, node, ["%s:00:00.0" % domain, "%s:01:00.0" % domain,
                                                                              "%s:02:00.0" % domain]))
    return {"name": "gb200-4", "arch": "aarch64", "cpu": GRACE, "packages": [[0], [1]], "cores_per_node": 8, "smt": 1,
            "memory_per_node": 480 * GIB, "gpu_memory_nodes": memory_nodes, "devices": devices, "nvml": {"driver": "570.86.15"}}


# --- domains: four GPUs that differ in their PCI domain only; two of them in their upper 16 bits only
def domains():
    devices = []
    for i, domain in enumerate(("0000", "0001", "10000", "10001")):
        devices.append(gpu(10, i, "%s:02:00.0" % domain, i, ["%s:00:01.0" % domain], "NVIDIA H100 PCIe", 85899345920, "9.0", "2331",
                           pcie=GEN5))
        devices.append(infiniband("mlx5_%d" % i, "%s:03:00.0" % domain, i, ["%s:00:02.0" % domain], "200 Gb/sec (4X HDR)"))
    return {"name": "domains", "arch": "x86_64", "cpu": AMD, "packages": [[0, 1], [2, 3]], "cores_per_node": 4,
            "memory_per_node": 128 * GIB, "devices": devices, "nvml": {"driver": "550.54.15", "p2p_default": 0}}


# --- old-driver: four P100 under a driver of 2016; two links between 0-1 and 2-3, one between the others
def old_driver():
    devices = []
    buses = [("06", 0), ("07", 0), ("84", 1), ("85", 1)]
    for i, (bus, node) in enumerate(buses):
        links = [{"pci": "0000:%s:00.0" % buses[j][0], "count": 2 if j == i ^ 1 else 1} for j in range(4) if j != i]
        devices.append(gpu(11, i, "0000:%s:00.0" % bus, node, ["0000:%s:02.0" % ("00" if node == 0 else "80"),
                                                              "0000:%s:00.0" % ("04" if node == 0 else "82"),
                                                              "0000:%s:%02x.0" % ("05" if node == 0 else "83", 8 * (i % 2))],
                           "Tesla P100-SXM2-16GB", 17071734784, "6.0", "15f9", pcie=GEN3, nvlink={"version": 1, "links": links}))
    return {"name": "old-driver", "arch": "x86_64", "cpu": {**INTEL, "CPUModelNumber": "79"}, "packages": [[0], [1]],
            "cores_per_node": 8, "memory_per_node": 128 * GIB, "devices": devices, "nvml": {"driver": "375.20", "p2p_default": 0}}


# --- numa-1267: eight NUMA nodes (four a socket), GPUs on 1, 2, 6 and 7; a storage card of unknown place
def numa_1267():
    devices = []
    for i, (bus, node) in enumerate((("03", 1), ("29", 2), ("a3", 6), ("c9", 7))):
        root = "0000:%02x:01.1" % (int(bus, 16) - 3)
        switch = "0000:%02x:00.0" % (int(bus, 16) - 2)
        down = "0000:%02x" % (int(bus, 16) - 1)
        devices.append(gpu(12, i, "0000:%s:00.0" % bus, node, [root, switch, down + ":00.0"], "NVIDIA H200", 150754820096, "9.0",
                           "2335", pcie=GEN5, nvlink=to_switch(18, 26562, 4)))
        devices.append(infiniband("mlx5_%d" % i, "0000:%02x:00.0" % (int(bus, 16) + 1), node, [root, switch, down + ":01.0"]))
    devices.append(infiniband("mlx5_4", "0000:e2:00.0", None, ["0000:e1:01.1"], "100 Gb/sec (4X EDR)"))
    return {"name": "numa-1267", "arch": "x86_64", "cpu": AMD, "packages": [[0, 1, 2, 3], [4, 5, 6, 7]], "cores_per_node": 4,
            "memory_per_node": 96 * GIB, "devices": devices, "nvml": {"driver": "550.54.15"}}


# --- reversed-4: the first GPU sits at the last cores (Polaris' hosts), NICs of unknown place
def reversed_4():
    devices = []
    for i, (bus, node) in enumerate((("07", 3), ("46", 2), ("85", 1), ("c7", 0))):
        others = [b for j, b in enumerate(("07", "46", "85", "c7")) if j != i]
        devices.append(gpu(14, i, "0000:%s:00.0" % bus, node, ["0000:%02x:01.1" % (int(bus, 16) - 4)], "NVIDIA A100-SXM4-40GB",
                           42949672960, "8.0", "20b0", pcie=GEN4,
                           nvlink={"version": 3, "speed": 25000,
                                   "links": [{"to": "gpu", "pci": "0000:%s:00.0" % b, "count": 4} for b in others]}))
    for i, bus in enumerate(("21", "a1")):
        devices.append(dict(kind="nic", pci="0000:%s:00.0" % bus, node=None, path=["0000:%02x:03.1" % (int(bus, 16) - 1)],
                            bus_node=None, vendor="17db", device="0501", net="hsn%d" % i, speed=200000, driver="cxi_core",
                            **{"class": "0200"}))
    return {"name": "reversed-4", "arch": "x86_64", "cpu": AMD, "packages": [[0, 1, 2, 3]], "cores_per_node": 4,
            "memory_per_node": 128 * GIB, "devices": devices, "nvml": {"driver": "525.60.13"}}


MACHINES = [dgx_h100("nvswitch-8", 1), dgx_1v(), pcie_4(), dead_links, mig(), none(), no_driver(), lost_gpu(), gb200(), domains(),
            old_driver(), numa_1267(), hidden, reversed_4()]
