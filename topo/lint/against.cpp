// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/against.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "topo/gpu_merge.h"
#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

class Comparison {
 public:
  Comparison(const Host& said, const Host& real, std::vector<Warning>& found)
      : said_(said), real_(real), found_(found) {}

  void run() {
    cpus();
    gpus();
    nics();
  }

 private:
  void add(const std::vector<Origin>& origins, std::string code, std::string message) {
    const Origin where = origins.empty() ? host_origin() : origins.front();
    found_.push_back(finding(std::move(code), where.file, where.line, std::move(message)));
  }

  /// For what has no origin of its own (NUMA nodes): the file, without a line.
  Origin host_origin() const {
    for (const auto& gpu : said_.gpus) {
      if (!gpu.origins.empty()) return {gpu.origins.front().source, gpu.origins.front().file, 0};
    }
    for (const auto& nic : said_.nics) {
      if (!nic.origins.empty()) return {nic.origins.front().source, nic.origins.front().file, 0};
    }
    return {};
  }

  void cpus() {
    if (const CpuSet beyond = said_.cpus - real_.cpus; !real_.cpus.empty() && !beyond.empty()) {
      add({}, "cpus-not-there", fmt::format("{} has no CPUs {}", real_.name, beyond.to_list()));
    }
    for (const auto& node : said_.numa) {
      const CpuSet cpus = node.cpus & real_.cpus;
      if (cpus.empty()) continue;
      const auto* same = real_.numa_node(node.id);
      // A part of the node is no contradiction: NCCL writes what its process was allowed.
      if (same != nullptr && (same->cpus.includes(cpus) || cpus.includes(same->cpus))) continue;
      const auto other = std::find_if(real_.numa.begin(), real_.numa.end(), [&](const NumaNode& n) {
        return !n.cpus.empty() && n.cpus.includes(cpus);
      });
      if (other != real_.numa.end() && same != nullptr) {
        add({}, "numa-swapped",
            fmt::format("CPUs {} are of NUMA node {}, not of {}", cpus.to_list(), other->id,
                        node.id));
      } else {
        add({}, "numa-cpus-differ",
            fmt::format("NUMA node {} has CPUs {}, the machine says {}", node.id,
                        node.cpus.to_list(),
                        same != nullptr ? same->cpus.to_list() : "that there is no such node"));
      }
    }
  }

  const Gpu* same_gpu(const Gpu& gpu, const Host& among) const {
    for (const auto& other : among.gpus) {
      if (!gpu.uuid.empty() && gpu.uuid == other.uuid) return &other;
      if (gpu.pci && gpu.pci == other.pci) return &other;
    }
    const bool nameless =
        (gpu.uuid.empty() || std::none_of(among.gpus.begin(), among.gpus.end(),
                                          [](const Gpu& g) { return !g.uuid.empty(); })) &&
        (!gpu.pci || std::none_of(among.gpus.begin(), among.gpus.end(),
                                  [](const Gpu& g) { return g.pci.has_value(); }));
    const auto index = static_cast<std::size_t>(gpu.index);
    return nameless && index < among.gpus.size() ? &among.gpus[index] : nullptr;
  }

  static int active_links(const Gpu& gpu) {
    int count = 0;
    for (const auto& link : gpu.links) count += link.type == LinkType::c2c ? 0 : link.count;
    return count;
  }

  void gpus() {
    const auto has_links = [](const Host& host) {
      return std::any_of(host.gpus.begin(), host.gpus.end(),
                         [](const Gpu& gpu) { return active_links(gpu) > 0; });
    };
    for (const auto& gpu : said_.gpus) {
      const std::string what = gpu_text(said_, gpu);
      const Gpu* real = same_gpu(gpu, real_);
      if (real == nullptr) {
        add(gpu.origins, "gpu-not-there", fmt::format("{} is not on {}", what, real_.name));
        continue;
      }
      place(gpu.origins, what, gpu.numa, real->numa);
      // A file without any links says nothing of them.
      if (has_links(said_) && has_links(real_) && active_links(gpu) != active_links(*real)) {
        add(gpu.origins, "links-differ",
            fmt::format("{} has {}, the machine says {}", what, counted(active_links(gpu), "link"),
                        active_links(*real)));
      }
    }
    if (said_.gpus.empty()) return;
    for (const auto& gpu : real_.gpus) {
      if (same_gpu(gpu, said_) == nullptr) {
        add({}, "gpu-not-said", fmt::format("{} is not in the file", gpu_text(real_, gpu)));
      }
    }
  }

  void nics() {
    for (const auto& nic : said_.nics) {
      const auto real = std::find_if(real_.nics.begin(), real_.nics.end(), [&](const Nic& other) {
        const bool same_name =
            !nic.name.empty() && (nic.name == other.name || nic.name == other.netdev);
        return same_name || (nic.pci && nic.pci == other.pci);
      });
      const std::string what = fmt::format("{} NIC {}", said_.name, nic.name);
      if (real == real_.nics.end()) {
        if (!real_.nics.empty()) {
          add(nic.origins, "nic-not-there", fmt::format("{} is not on {}", what, real_.name));
        }
        continue;
      }
      place(nic.origins, what, nic.numa, real->numa);
      const double said = nic.rate.bytes_per_second();
      const double is = real->rate.bytes_per_second();
      if (nic.rate.known() && real->rate.known() && (said > 1.05 * is || is > 1.05 * said)) {
        add(nic.origins, "nic-rate-differs",
            fmt::format("{} has {}, the machine says {}", what, to_text(nic.rate),
                        to_text(real->rate)));
      }
    }
  }

  void place(const std::vector<Origin>& origins, const std::string& what, std::optional<int> said,
             std::optional<int> real) {
    if (!said || !real || *said == *real) return;
    add(origins, "numa-differs",
        fmt::format("{} is on NUMA node {}, the machine says {}", what, *said, *real));
  }

  const Host& said_;
  const Host& real_;
  std::vector<Warning>& found_;
};

}  // namespace

std::vector<Warning> check_against(const Topology& said, const Topology& real) {
  std::vector<Warning> found;
  const bool one_each = said.hosts.size() == 1 && real.hosts.size() == 1;
  for (const auto& host : said.hosts) {
    const auto same = std::find_if(real.hosts.begin(), real.hosts.end(), [&](const Host& other) {
      return one_each || host.name == other.name;
    });
    if (same != real.hosts.end()) Comparison(host, *same, found).run();
  }
  return found;
}

}  // namespace topolaunch::topo
