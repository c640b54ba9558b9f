// SPDX-License-Identifier: Apache-2.0
#include "topo/simgrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "topo/draw/svg.h"
#include "topo/fabric_view.h"
#include "topo/host_words.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

class Platform {
 public:
  explicit Platform(const Topology& topology) : topology_(topology), view_(topology) {}

  Result<std::string> text() {
    for (const Switch& box : topology_.fabric.switches) {
      if (auto added = name(box.name); !added) return fail(std::move(added).error());
      nodes_ += fmt::format("    <router id=\"{}\"/>\n", draw::escaped(box.name));
    }
    for (std::size_t i = 0; i < topology_.hosts.size(); ++i) {
      if (auto added = host(i); !added) return fail(std::move(added).error());
    }
    for (const Switch& box : topology_.fabric.switches) {
      if (box.parent < 0) continue;
      const auto parent = static_cast<std::size_t>(box.parent);
      auto added = link(box.name, topology_.fabric.switches[parent].name, box.uplink,
                        "the uplink of " + box.name);
      if (!added) return fail(std::move(added).error());
    }
    return fmt::format(
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        "  <!-- Rates are those of the topology, one direction. Latencies and speeds are not "
        "known:\n"
        "       no latency is set, and 1Gf stands for every processor. -->\n"
        "  <zone id=\"topolaunch\" routing=\"DijkstraCache\">\n{}{}{}  </zone>\n</platform>\n",
        nodes_, links_, routes_);
  }

 private:
  Status name(const std::string& id) {
    if (names_.insert(id).second) return {};
    return fail(Code::invalid_input, fmt::format("two things of the topology are called '{}'", id),
                "SimGrid needs names that differ: rename one");
  }

  Status node(const std::string& id, int cores) {
    if (auto added = name(id); !added) return added;
    nodes_ += fmt::format("    <host id=\"{}\" speed=\"1Gf\" core=\"{}\"/>\n", draw::escaped(id),
                          std::max(1, cores));
    return {};
  }

  /// A full duplex link from `low` to `high` and the routes over it.
  Status link(const std::string& low, const std::string& high, Bandwidth rate,
              const std::string& what) {
    if (!rate.known()) {
      return fail(Code::unavailable, fmt::format("the rate of {} is not known", what),
                  "give a topology that says it (NCCL XML, this tool's JSON, synthetic:...)");
    }
    const std::string a = draw::escaped(low), b = draw::escaped(high), id = a + "_" + b;
    links_ += fmt::format(
        "    <link id=\"{}\" bandwidth=\"{:.0f}Bps\" latency=\"0s\" sharing_policy=\"SPLITDUPLEX\"/>\n", id,
        rate.bytes_per_second());
    for (const auto& [from, to, way] : {std::tuple(a, b, "UP"), std::tuple(b, a, "DOWN")}) {
      routes_ += fmt::format(
          "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"{}\" "
          "direction=\"{}\"/></route>\n",
          from, to, id, way);
    }
    return {};
  }

  Status host(std::size_t at) {
    const Host& it = topology_.hosts[at];
    if (it.gpus.empty()) {
      if (auto added = node(it.name, it.cpus.size()); !added) return added;
    } else {
      if (auto added = name(it.name); !added) return added;
      nodes_ += fmt::format("    <router id=\"{}\"/>\n", draw::escaped(it.name));
      for (const Gpu& gpu : it.gpus) {
        if (auto added = gpu_links(it, gpu); !added) return added;
      }
    }
    const auto& leaves = topology_.fabric.leaf_of_host;
    const int leaf = at < leaves.size() ? leaves[at] : -1;
    if (leaf < 0) {
      if (topology_.hosts.size() == 1) return {};
      return fail(Code::unavailable,
                  fmt::format("the place of {} in the network is not known", it.name),
                  "give the fabric too: --topology topology.conf, or synthetic:... with host/leaf");
    }
    return link(it.name, topology_.fabric.switches[static_cast<std::size_t>(leaf)].name,
                view_.host_rate(at), it.name + "'s network");
  }

  /// To the machine's router: what the GPU has through an NVSwitch, else its PCIe link. Direct
  /// NVLinks are links between the GPUs themselves, which a shortest path takes first.
  Status gpu_links(const Host& it, const Gpu& gpu) {
    const auto id = [&](const Gpu& one) { return fmt::format("{}.gpu{}", it.name, one.index); };
    if (auto added = node(id(gpu), 1); !added) return added;
    const GpuLink* const up = link_to(gpu, GpuLink::To::nvswitch);
    const Bandwidth out = up != nullptr && up->bandwidth.known()
                              ? up->bandwidth
                              : pcie(gpu.pcie_generation, gpu.pcie_width);
    if (auto added = link(id(gpu), it.name, out, id(gpu) + "'s way out of the GPU"); !added) {
      return added;
    }
    for (const Gpu& other : it.gpus) {
      if (other.index >= gpu.index) continue;
      const GpuPair pair = pair_of(gpu, other);
      if (pair.count == 0 || pair.switched) continue;
      auto added = link(id(gpu), id(other), pair.rate, "the NVLinks of " + id(gpu));
      if (!added) return added;
    }
    return {};
  }

  const Topology& topology_;
  FabricView view_;
  std::set<std::string> names_;
  std::string nodes_, links_, routes_;
};

}  // namespace

Result<std::string> simgrid_platform(const Topology& topology) { return Platform(topology).text(); }

}  // namespace topolaunch::topo
