// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

constexpr auto kError = Warning::Severity::error;
constexpr auto kWarning = Warning::Severity::warning;
constexpr auto kNote = Warning::Severity::note;

constexpr std::string_view kTopologyConf = "Slurm topology.conf(5)";
constexpr std::string_view kOrder = "docs/formats.md, order of trust";
constexpr std::string_view kDiscover = "ibnetdiscover(8)";

constexpr std::array kRules{
    Rule{"fabric-conflict", kWarning, "two sources place hosts differently",
         "leave out the source that is wrong or old", kOrder},
    Rule{"host-place-second-source", kNote, "one source alone knows where this host is", "nothing",
         kOrder},
    Rule{"switch-unknown-parent", kWarning,
         "what hangs below a switch that isn't there has no place",
         "describe it, or correct its name", kTopologyConf},
    Rule{"nvlink-domain-conflict", kWarning, "sources put the host into different NVLink domains",
         "restart gpu-feature-discovery, or leave out the old file", kOrder},
    // Slurm
    Rule{"slurm-block-sizes", kError, "Slurm plans with the first size and its doublings alone",
         "write the base and its multiples by 2, 4, 8 ...", kTopologyConf},
    Rule{"slurm-block-small", kWarning, "a block below the base size is never used whole",
         "fill it, or lower BlockSizes", kTopologyConf},
    Rule{"slurm-torus-size", kError, "places and hosts of the torus are different numbers",
         "correct dims or nodes", "Slurm topology.yaml(5)"},
    Rule{"slurm-flat", kNote, "a flat topology places nobody", "name another: FILE#NAME",
         "Slurm topology.yaml(5)"},
    Rule{"slurm-other-topologies", kNote, "the file holds several topologies",
         "name the one that is meant: FILE#NAME", "Slurm topology.yaml(5)"},
    // InfiniBand
    Rule{"ib-partial", kWarning, "the dump is cut: what is missing is not known",
         "run ibnetdiscover again", kDiscover},
    Rule{"ib-strange-line", kWarning, "a line of another format",
         "run ibnetdiscover without -l or -p", kDiscover},
    Rule{"ib-cut-off", kNote, "switches that no host can be reached by", "look for the cables",
         kDiscover},
    Rule{"ib-trunk-missing", kWarning,
         "a leaf with fewer uplinks than its equals slows every job on it",
         "look for the cable: iblinkinfo", kDiscover},
    Rule{"ib-link-slow", kWarning, "one link below the rate or width of its equals",
         "reseat the cable: iblinkinfo", kDiscover},
    Rule{"ib-host-unnamed", kNote, "an adapter without its host's name can't be matched",
         "start rdma-ndd on the host", "rdma-ndd(8)"},
    Rule{"ib-host-several-leaves", kNote,
         "a host on several leaves: rails, or a cable in the wrong port",
         "compare with the cabling plan", kDiscover},
    // Kubernetes
    Rule{"gpu-count-differs", kWarning,
         "what is seen and what is said are different numbers of GPUs",
         "look at the host: nvidia-smi -L", "NVIDIA GPU feature discovery"},
    Rule{"gpus-not-allocatable", kWarning, "GPUs that the node has and doesn't offer",
         "kubectl describe node; look at the device plugin's log", "Kubernetes, device plugins"},
    Rule{"node-not-ready", kWarning, "labels of a node that doesn't answer may be old",
         "leave the node out", "Kubernetes, node status"},
    Rule{"node-unschedulable", kWarning, "a job that counts on this node doesn't start",
         "leave the node out, or kubectl uncordon", "Kubernetes, safely drain a node"},
    Rule{"nodes-more-pages", kWarning, "a page of a longer list", "get all of them: --chunk-size=0",
         "kubectl get(1)"},
    // Measurements
    Rule{"measured-leaves", kNote, "leaves as times between hosts show them", "nothing",
         "docs/formats.md"},
    Rule{"measured-unsure", kNote, "times don't separate into leaves",
         "measure all pairs, concurrently", "docs/formats.md"},
    Rule{"measured-missing", kNote, "pairs without a value", "measure them again",
         "docs/formats.md"},
    Rule{"measured-repeated", kNote, "a pair with several values",
         "nothing, where it was measured several times", "docs/formats.md"},
    Rule{"measured-self", kNote, "a host and itself are no pair", "leave such rows out",
         "docs/formats.md"},
    Rule{"measured-slow-host", kWarning, "a host that is slow with everybody slows every job",
         "look at its NICs; leave it out", "docs/formats.md"},
    Rule{"measured-slow-pair", kWarning, "two healthy hosts with a slow way between them",
         "look at the cables of their leaves", "docs/formats.md"},
    Rule{"measured-one-way", kWarning, "one direction slower than the other",
         "look at the cable's error counters: perfquery", "docs/formats.md"},
    // Asking this machine
    Rule{"not-this-machine", kNote, "the CPUs were taken from elsewhere", "unset the variable",
         "hwloc, environment variables"},
    Rule{"nvml-call-failed", kWarning, "the driver refused one question: its answer is missing",
         "nvidia-smi -q", "NVML reference"},
    Rule{"gpus-left-out", kWarning, "a GPU that the driver counts and that gets no rank",
         "nvidia-smi -L", "NVML reference"},
};

}  // namespace

std::span<const Rule> fabric_rules() { return kRules; }

}  // namespace topolaunch::topo
