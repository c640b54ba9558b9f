// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/placement.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

namespace topolaunch::launcher {
namespace {

// <linux/mempolicy.h>, Linux 6.1
enum Policy {
  kDefault = 0,
  kPreferred = 1,
  kBind = 2,
  kInterleave = 3,
  kLocal = 4,
  kPreferredMany = 5
};
constexpr int kPolicyFlags = 0xe000;  // MPOL_MODE_FLAGS
constexpr std::size_t kNodes = 4096;  // more than any kernel's MAX_NUMNODES (1 << 10)
constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;

using NodeMask = std::array<unsigned long, kNodes / kBits>;

long set_policy(int mode, const NodeMask& mask) {
  return ::syscall(SYS_set_mempolicy, mode, mask.data(), kNodes);
}

std::string reason(int number) {
  std::string text = std::strerror(number);
  if (number == EPERM) text += " (seccomp of the container, as a rule)";
  if (number == ENOSYS) text += " (a kernel without NUMA)";
  return text;
}

}  // namespace

std::optional<std::string> bind_cpus(const CpuSet& cpus) {
  if (cpus.empty()) return std::nullopt;
  const auto count = static_cast<std::size_t>(cpus.last()) + 1;
  cpu_set_t* const set = CPU_ALLOC(count);
  const std::size_t size = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus.to_vector()) CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  const int number = ::sched_setaffinity(0, size, set) == 0 ? 0 : errno;
  CPU_FREE(set);
  if (number == 0) return std::nullopt;
  if (number == EINVAL) {
    return "can't be bound to CPUs " + cpus.to_list() + ": none of them is allowed here";
  }
  return "can't be bound to CPUs " + cpus.to_list() + ": " + reason(number);
}

std::optional<std::string> prefer_memory(const std::vector<int>& nodes) {
  if (nodes.empty()) return std::nullopt;
  NodeMask mask{}, first{};
  CpuSet named;
  for (const int node : nodes) {
    if (node < 0 || static_cast<std::size_t>(node) >= kNodes) continue;
    const auto n = static_cast<std::size_t>(node);
    mask[n / kBits] |= 1UL << (n % kBits);
    if (named.empty()) first[n / kBits] |= 1UL << (n % kBits);
    named.add(node);
  }
  if (named.size() > 1 && set_policy(kPreferredMany, mask) == 0) return std::nullopt;
  if (named.size() > 1 && errno != EINVAL && errno != ENOSYS) {
    return "memory policy can't be set: " + reason(errno);
  }
  if (set_policy(kPreferred, first) == 0) return std::nullopt;
  if (errno == EINVAL) {
    return "memory of NUMA node " + named.to_list() +
           " can't be preferred: not there or not allowed";
  }
  return "memory policy can't be set: " + reason(errno);
}

std::string memory_policy() {
  int mode = 0;
  NodeMask mask{};
  if (::syscall(SYS_get_mempolicy, &mode, mask.data(), kNodes, nullptr, 0UL) != 0) {
    return "can't be read: " + reason(errno);
  }
  CpuSet nodes;
  for (std::size_t n = 0; n < kNodes; ++n) {
    if (((mask[n / kBits] >> (n % kBits)) & 1) != 0) nodes.add(static_cast<int>(n));
  }
  const auto with_nodes = [&](const char* word) {
    return nodes.empty() ? std::string(word) : word + (" " + nodes.to_list());
  };
  switch (mode & ~kPolicyFlags) {
    case kDefault:
      return "default";
    case kPreferred:
      return nodes.empty() ? "local" : with_nodes("preferred");
    case kPreferredMany:
      return with_nodes("preferred");
    case kBind:
      return with_nodes("bind");
    case kInterleave:
      return with_nodes("interleave");
    case kLocal:
      return "local";
    default:
      return with_nodes(("policy " + std::to_string(mode & ~kPolicyFlags)).c_str());
  }
}

}  // namespace topolaunch::launcher
