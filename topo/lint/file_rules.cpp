// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

constexpr auto kError = Warning::Severity::error;
constexpr auto kWarning = Warning::Severity::warning;
constexpr auto kNote = Warning::Severity::note;

constexpr std::string_view kTopologyConf = "Slurm topology.conf(5)";
constexpr std::string_view kGresConf = "Slurm gres.conf(5)";

constexpr std::array kRules{
    Rule{"unreadable", kError, "nothing of the file can be used", "as the message says", "-"},
    Rule{"could-not-look", kError, "saw nothing and could not look are different answers",
         "topolaunch doctor", "-"},
    Rule{"names-no-host", kWarning, "nothing can be placed on what it describes",
         "give the whole answer, of hosts that run", "docs/formats.md"},
    // NCCL's files
    Rule{"nccl-no-arch", kWarning,
         "NCCL aborts with an internal error once it has to look at the CPU",
         "add arch=\"x86_64\" (arm64, ppc64) to each <cpu>", "aws/aws-ofi-nccl#476"},
    Rule{"nccl-too-many-nodes", kNote,
         "NCCL up to 2.28 refuses a file of more than 256 XML elements",
         "leave out what NCCL finds itself: <net>, <nvlink>", "NVIDIA/nccl#2160"},
    Rule{"pci-repeated", kWarning, "NCCL finds a device by its address: the second is lost",
         "give each device its own address", "NVIDIA/nccl 2.28 src/graph/xml.cc"},
    // nvidia-smi's texts
    Rule{"smi-partial", kWarning, "the text was cut: what is missing is not known",
         "paste the whole output", "-"},
    Rule{"smi-affinity-unreadable", kWarning,
         "cells ran into one another: the GPU's CPUs are not known",
         "paste with tabs, or as: nvidia-smi topo -m > topo.txt", "-"},
    Rule{"smi-unknown-cell", kWarning, "a cell with a word that nvidia-smi doesn't use",
         "paste it again", "nvidia-smi topo -m, legend"},
    Rule{"smi-asymmetric", kWarning, "the way there and the way back are one way", "paste it again",
         "nvidia-smi topo -m, legend"},
    Rule{"smi-no-tree", kWarning, "words that contradict each other: PCIe is a tree",
         "paste it again", "nvidia-smi topo -m, legend"},
    Rule{"smi-passed-over", kNote, "lines between the outputs", "nothing", "-"},
    Rule{"hwloc-xml-version", kNote, "parts of a file of hwloc 3 that hwloc 2 doesn't know",
         "nothing", "hwloc, NEWS of 3.0"},
    // Switches
    Rule{"slurm-stray-word", kError, "a blank splits a host list: the hosts behind it are lost",
         "write the list without blanks", kTopologyConf},
    Rule{"slurm-host-list", kError,
         "Slurm 22.05 reads 'g[1-3' as a host of that name, without a word", "close the bracket",
         kTopologyConf},
    Rule{"slurm-unknown-key", kError, "Slurm stops at it", "correct the key", kTopologyConf},
    Rule{"switch-unknown", kError, "what hangs below a switch that isn't described has no place",
         "describe it, or correct its name", kTopologyConf},
    Rule{"switch-empty", kError, "a switch with nothing below it",
         "give it Nodes= or Switches=", kTopologyConf},
    Rule{"switch-repeated", kError, "one name for two switches", "give each its own name",
         kTopologyConf},
    Rule{"switch-two-parents", kError, "in a tree each switch hangs below one",
         "name one of them as the parent", kTopologyConf},
    Rule{"switch-loop", kError, "a switch below itself", "correct Switches=", kTopologyConf},
    Rule{"host-two-leaves", kWarning, "a host on two leaves counts as near to both",
         "take it from one of them", kTopologyConf},
    Rule{"host-place-unknown", kWarning, "a host without a place is taken last",
         "add it to its leaf", "NVIDIA/topograph#21"},
    Rule{"fabric-ragged", kNote,
         "leaves at different depth: distances between hosts are not comparable",
         "give every leaf the same number of switches above it", kTopologyConf},
    Rule{"fabric-two-roots", kNote, "hosts below different roots have no way to each other here",
         "name the switch above both", kTopologyConf},
    // gres.conf
    Rule{"gres-links-self", kError, "Slurm takes the place of -1 as the device's own number",
         "write -1 at the device's own place and nowhere else", kGresConf},
    Rule{"gres-links-asymmetric", kWarning, "the links from one GPU to another are those back",
         "correct the one that is wrong: nvidia-smi topo -m", kGresConf},
    Rule{"gres-links-length", kError, "Links= counts every GPU of the host",
         "one number for each GPU", kGresConf},
    Rule{"gres-file-repeated", kError, "a device that is listed twice is handed out twice",
         "list each file once", kGresConf},
    Rule{"gres-cores-missing", kWarning, "GPUs without Cores= count as near to every socket",
         "give every GPU its Cores=, or none and AutoDetect=nvml", kGresConf},
    Rule{"gres-cores-beyond", kError,
         "Cores= are logical core numbers, not hardware threads: numbers beyond the last core are "
         "dropped",
         "count cores: lscpu, 'Core(s) per socket' times 'Socket(s)'", kGresConf},
    Rule{"gres-cores-far", kError,
         "with --gres-flags=enforce-binding the GPU gets the far socket's cores",
         "exchange the Cores= of the sockets", kGresConf},
    Rule{"gres-cores-part", kWarning, "a part of the socket's cores is never near to any GPU",
         "name all cores of the GPU's NUMA node", kGresConf},
    Rule{"gres-cores-wide", kWarning, "cores of several sockets: Slurm can't bind near the GPU",
         "name the cores of the GPU's NUMA node alone", kGresConf},
    Rule{"gres-cores-unchecked", kNote, "not checked and found right are different answers",
         "hold it against the machine itself (--against live), or its hwloc XML", kGresConf},
    Rule{"gres-gpu-count", kError, "Slurm drains a node that has fewer GPUs than configured",
         "list every GPU of the host", kGresConf},
    // Labels
    Rule{"label-gpu-count", kWarning, "schedulers count by the label what the host doesn't have",
         "restart gpu-feature-discovery on the node", "NVIDIA GPU feature discovery"},
    Rule{"label-clique", kWarning, "pods are put into an NVLink domain that the host isn't in",
         "restart gpu-feature-discovery on the node", "NVIDIA GPU feature discovery"},
};

}  // namespace

std::span<const Rule> file_rules() { return kRules; }

}  // namespace topolaunch::topo
