// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

constexpr auto kError = Warning::Severity::error;
constexpr auto kWarning = Warning::Severity::warning;
constexpr auto kNote = Warning::Severity::note;

constexpr std::string_view kGuide = "NCCL user guide, Environment Variables";
constexpr std::string_view kSource =
    "NVIDIA/nccl 2.28 src/graph/tuning.cc, paths.cc; src/misc/param.cc; src/debug.cc";
constexpr std::string_view kEfa = "aws-ofi-nccl doc/efa-env-var.md";

constexpr std::array kRules{
    Rule{"env-one-gpu-mask", kWarning,
         "a process that sees one GPU of several can't map its peers' memory: NCCL goes through "
         "the host",
         "let every rank see all GPUs of its job, in an order with its own first",
         "NVIDIA/nccl-tests#300"},
    Rule{"env-mask-repeated", kError, "CUDA sees no device behind a repeated one",
         "name each GPU once", "CUDA C++ programming guide, CUDA_VISIBLE_DEVICES"},
    Rule{"env-mask-unknown", kError, "CUDA sees no device behind one that it doesn't know",
         "name GPUs that the host has: nvidia-smi -L",
         "CUDA C++ programming guide, CUDA_VISIBLE_DEVICES"},
    Rule{"env-mask-empty", kWarning, "an empty mask hides every GPU", "unset CUDA_VISIBLE_DEVICES",
         "CUDA C++ programming guide, CUDA_VISIBLE_DEVICES"},
    Rule{"env-device-order", kNote,
         "without PCI_BUS_ID CUDA numbers the fastest GPU first, NVML and nvidia-smi by address",
         "CUDA_DEVICE_ORDER=PCI_BUS_ID, or UUIDs in the mask", "flux-framework/flux-core#1598"},
    Rule{"env-launch-blocking", kWarning,
         "every kernel launch waits for the kernel: nothing overlaps", "unset CUDA_LAUNCH_BLOCKING",
         "CUDA C++ programming guide, CUDA_LAUNCH_BLOCKING"},
    Rule{"env-nccl-cumem-off", kWarning,
         "without cuMem NCCL has neither NVLink between hosts (GB200) nor NVLink SHARP",
         "unset NCCL_CUMEM_ENABLE", "vllm-project/vime#103"},
    Rule{"env-nccl-mnnvl-off", kWarning, "hosts of one NVLink domain talk over their NICs",
         "unset NCCL_MNNVL_ENABLE", kGuide},
    Rule{"env-nccl-proto", kWarning,
         "Simple alone makes small messages slow; needed by the EFA plugin up to 1.5.0 only",
         "unset NCCL_PROTO", kEfa},
    Rule{"env-nccl-algo", kNote, "NCCL no longer takes the fastest algorithm for each size",
         "unset NCCL_ALGO", kGuide},
    Rule{"env-nccl-p2p-off", kWarning,
         "GPUs of a host talk through its memory, not over NVLink or PCIe",
         "unset NCCL_P2P_DISABLE and NCCL_P2P_LEVEL", kGuide},
    Rule{"env-nccl-shm-off", kWarning, "GPUs without peer access talk over the network",
         "unset NCCL_SHM_DISABLE", kGuide},
    Rule{"env-nccl-ib-off", kWarning, "hosts talk over TCP sockets", "unset NCCL_IB_DISABLE",
         kGuide},
    Rule{"env-nccl-gdr-off", kWarning, "NICs go through host memory in place of the GPU's",
         "unset NCCL_NET_GDR_LEVEL", kGuide},
    Rule{"env-nccl-pxn", kWarning, "all-to-all crosses rails: 16 % slower in the report",
         "unset NCCL_P2P_PXN_LEVEL", "NVIDIA-NeMo/RL#2937"},
    Rule{"env-nccl-channels", kWarning, "few channels can't fill the links",
         "unset NCCL_MAX_NCHANNELS", kGuide},
    Rule{"env-nccl-ignore-affinity", kNote,
         "NCCL's threads leave the CPUs that the launcher bound them to",
         "unset NCCL_IGNORE_CPU_AFFINITY", kGuide},
    Rule{"env-nccl-cross-nic", kNote,
         "rings change rails between hosts: traffic goes up to the spines",
         "NCCL_CROSS_NIC=0 where each rail has its own switch", kGuide},
    Rule{"env-nccl-debug", kNote, "NCCL writes a line a call", "NCCL_DEBUG=WARN", kGuide},
    Rule{"env-nccl-topo-file", kNote,
         "a file that isn't there is passed over; one of another machine gave 15 in place of 431 "
         "GB/s",
         "unset NCCL_TOPO_FILE, or: topolaunch lint FILE --against live",
         "Azure/azurehpc-health-checks#142, #143"},
    Rule{"env-nccl-unknown", kWarning, "NCCL passes over a variable that it doesn't know, silently",
         "write it as NCCL does", "the names in libnccl.so.2 of NCCL 2.28.9"},
    Rule{"env-nccl-value", kWarning,
         "NCCL passes over a word that it doesn't know, or refuses to start; of a number it takes "
         "the digits in front: 4M is 4",
         "write a value that NCCL knows", kSource},
    Rule{"env-nccl-hca", kError, "NCCL finds no such device and falls back to sockets",
         "name devices that ibv_devices lists", kGuide},
    Rule{"env-socket-loopback", kError, "other hosts can't be reached over the loopback device",
         "name the interface that the hosts share", kGuide},
    Rule{"env-efa-rdma-off", kWarning, "EFA without RDMA copies through host memory",
         "unset FI_EFA_USE_DEVICE_RDMA", kEfa},
    Rule{"env-efa-rdma-set", kNote, "not to be set from libfabric 1.18 on",
         "unset FI_EFA_USE_DEVICE_RDMA", kEfa},
    Rule{"env-efa-provider", kNote, "needed by the EFA plugin up to 1.5.0 only",
         "unset FI_PROVIDER", kEfa},
};

}  // namespace

std::span<const Rule> environment_rules() { return kRules; }

}  // namespace topolaunch::topo
