// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

constexpr auto kError = Warning::Severity::error;
constexpr auto kWarning = Warning::Severity::warning;
constexpr auto kNote = Warning::Severity::note;

constexpr std::array kRules{
    // NUMA nodes and CPUs
    Rule{"numa-swapped", kError,
         "each GPU is bound to the far socket: every copy from host memory crosses between them",
         "exchange the affinity masks of the two nodes", "Azure/azhpc-images#283, #393"},
    Rule{"numa-backwards", kWarning,
         "the first node with the last CPUs: in files written by hand, masks that were exchanged",
         "hold it against the machine: topolaunch lint FILE --against live",
         "Azure/azhpc-images#283, #393"},
    Rule{"numa-same-cpus", kWarning,
         "two NUMA nodes with the same CPUs: ranks of one of them are bound to the other's",
         "give each node its own mask", "Azure/azhpc-images#393"},
    Rule{"cpus-not-there", kError, "a rank bound to CPUs that don't exist doesn't start",
         "make the mask on the machine: lscpu -e=CPU,NODE", "kernel.org cpusets"},
    Rule{"numa-cpus-differ", kWarning, "ranks get CPUs of another NUMA node than their GPU's",
         "make the file on the machine again", "Azure/azhpc-images#393"},
    Rule{"numa-cpus-conflict", kWarning, "two sources give one node different CPUs",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"numa-differs", kWarning,
         "the file puts the device on another NUMA node than the machine does",
         "correct the file; where both are given, the kernel's word counts",
         "Azure/azhpc-images#283"},
    Rule{"numa-conflict", kWarning, "two sources place a device on different NUMA nodes",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"affinity-conflict", kWarning, "the device's CPUs and its NUMA node are different places",
         "correct the one that is wrong", "Azure/azhpc-images#283"},
    Rule{"numa-unknown", kWarning, "the device's NUMA node doesn't exist on this host",
         "make the file on the machine again", "aws/aws-ofi-nccl#873"},
    Rule{"numa-without-cpus", kWarning, "a node of memory alone can't run a rank",
         "name the node with the nearest CPUs", "bytedance/xpu-perf#129"},
    Rule{"numa-crosses-package", kWarning,
         "NUMA nodes that cross sockets are a mistake of the virtual machine's description",
         "correct the guest's NUMA cells", "open-mpi/hwloc#712"},
    Rule{"allowed-conflict", kWarning, "two limits of this process exclude each other",
         "look at the cpuset of the job", "open-mpi/ompi#7157"},
    // GPUs and links
    Rule{"gpu-lost", kError, "a GPU that its driver lost fails the job that gets it",
         "drain the host and reset it: nvidia-smi -q names the Xid", "NVIDIA Xid catalogue, 79"},
    Rule{"gpu-not-there", kError, "the file has a GPU that the machine doesn't have",
         "make the file on the machine again", "NVIDIA/nccl#1843"},
    Rule{"gpu-not-said", kWarning, "a GPU that the file leaves out gets no rank",
         "make the file on the machine again", "NVIDIA/nccl#1843"},
    Rule{"gpu-unreachable", kWarning, "a GPU on the bus that this process may not open",
         "ask the resource manager for it", "NVIDIA/nccl-tests#300"},
    Rule{"gpu-without-driver", kNote, "without the driver's library a GPU's links are not known",
         "install the driver, or run where it is", "topolaunch doctor"},
    Rule{"nvlink-odd-gpu", kWarning,
         "one GPU with fewer links slows every collective of all, and NCCL doesn't tell",
         "nvidia-smi nvlink -s; drain the host", "NVIDIA/nccl#1182"},
    Rule{"nvlink-inactive", kWarning, "links that are down take bandwidth from their GPU",
         "nvidia-smi nvlink -e; drain the host", "NVIDIA/nccl#1182"},
    Rule{"nvlink-all-down", kWarning, "a GPU without its NVLinks falls back to PCIe",
         "systemctl status nvidia-fabricmanager; drain the host", "NVIDIA/nccl#1182"},
    Rule{"nvlink-impossible-count", kWarning,
         "more links than the GPU has: NCCL plans with bandwidth that isn't there",
         "make the file with NCCL_TOPO_DUMP_FILE", "NVIDIA data sheets"},
    Rule{"nvlink-to-itself", kWarning, "a link from a GPU to itself carries nothing",
         "correct the target", "Azure ncv4-topo.xml"},
    Rule{"nvlink-unknown-target", kWarning, "a link to a device that the file doesn't hold",
         "correct the target", "NVIDIA/nccl 2.28 src/graph/topo.cc"},
    Rule{"nvlink-asymmetric", kWarning, "a link that one end has and the other hasn't",
         "correct the file, or look for the cable", "NVIDIA/nccl#1182"},
    Rule{"nvlink-conflict", kWarning, "two sources count a GPU's links differently",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"links-differ", kWarning, "the file has other links than the machine",
         "make the file on the machine again", "NVIDIA/nccl#1182"},
    Rule{"nvlink-not-said", kNote, "NCCL asks the driver for the links; other readers see none",
         "dump the file with NCCL_TOPO_DUMP_FILE", "NVIDIA/nccl 2.28 src/graph/topo.cc"},
    Rule{"pcie-width", kWarning, "half the lanes are half the bandwidth to host and NICs",
         "reseat the card; lspci -vv shows LnkSta", "PCI Express base specification"},
    Rule{"pcie-generation", kNote,
         "the link runs below what the device can do: idle GPUs slow it down, others are misplaced",
         "look again under load", "nvidia-smi --help-query-gpu, pcie.link.gen"},
    Rule{"uuid-conflict", kWarning, "one address, two UUIDs: a file of another machine",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"pci-conflict", kWarning, "one device, two addresses: a file of another machine",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"capability-conflict", kWarning, "sources disagree about which GPU this is",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
    Rule{"model-differs", kNote, "sources name the GPU differently", "nothing",
         "docs/formats.md, order of trust"},
    // NICs
    Rule{"nic-far-socket", kWarning,
         "GPUs without a NIC near them send all their traffic through another socket or node",
         "add a NIC there, or use the other GPUs for traffic between hosts", "NVIDIA/nccl#1755"},
    Rule{"nic-odd-rate", kWarning, "a collective runs at the rate of its slowest NIC",
         "look at cable and port: ibstat, ethtool", "NVIDIA/nccl#1755"},
    Rule{"nic-not-there", kWarning, "the file has a NIC that the machine doesn't have",
         "make the file on the machine again", "NVIDIA/nccl#1843"},
    Rule{"nic-rate-differs", kWarning, "the file gives the NIC another rate than it runs at",
         "correct the file, or look at cable and port", "NVIDIA/nccl#1182"},
    Rule{"nic-rate-conflict", kWarning, "two sources give a NIC different rates",
         "leave out the source that is wrong", "docs/formats.md, order of trust"},
};

}  // namespace

std::span<const Rule> host_rules() { return kRules; }

}  // namespace topolaunch::topo
