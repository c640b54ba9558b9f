// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topo/nccl_xml_devices.h"

namespace topolaunch::topo {
namespace {

using nccl::integer;
using nccl::small;

/// NCCL refuses a topology of more XML nodes: NCCL_TOPO_XML_MAX_NODES, 2.28.9 src/graph/xml.h.
constexpr int kNcclMostNodes = 256;

/// <system> and <cpu>: which hosts there are, and their CPUs.
class Reader {
 public:
  Reader(const std::string& file, const XmlLines& lines) : file_(file), devices_(file, lines) {}

  Result<std::vector<Fact>> read(const pugi::xml_document& document, const std::string& host) {
    if (auto whole = check_root(document); !whole) return tl::unexpected(std::move(whole.error()));
    name_hosts(document, host);
    for (const auto& system : document.children("system")) {
      ++systems_;
      for (const auto& cpu : system.children("cpu")) {
        if (auto done = read_cpu(cpu); !done) return tl::unexpected(std::move(done.error()));
      }
    }
    finish();
    return std::move(devices_.facts);
  }

 private:
  Status check_root(const pugi::xml_document& document) const {
    const auto root = document.document_element();
    const std::string_view name = root.name();
    if (name == "graphs" || name == "graph") {
      return fail(devices_.error(root,
                                 "this is an NCCL graph file (the rings and trees that NCCL "
                                 "chose), not a topology",
                                 "dump the topology with NCCL_TOPO_DUMP_FILE=topo.xml"));
    }
    if (name != "system") {
      return fail(devices_.error(root, fmt::format("the XML begins with <{}>; an NCCL topology "
                                                   "begins with <system>",
                                                   name)));
    }
    if (!root.child("cpu")) {
      return fail(devices_.error(root, "the NCCL topology holds no <cpu>, so no machine",
                                 "dump it on the machine with NCCL_TOPO_DUMP_FILE=topo.xml"));
    }
    return {};
  }

  /// A file may hold several hosts (NCCL merges them for multi-host NVLink): host_hash differs.
  void name_hosts(const pugi::xml_document& document, const std::string& host) {
    std::vector<std::string> hashes;
    for (const auto& system : document.children("system")) {
      for (const auto& cpu : system.children("cpu")) {
        const std::string hash = cpu.attribute("host_hash").value();
        if (std::find(hashes.begin(), hashes.end(), hash) == hashes.end()) hashes.push_back(hash);
      }
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::string base = host.empty() ? "host" : host + "-";
      hosts_[hashes[i]] = hashes.size() == 1 ? host : fmt::format("{}{}", base, i);
    }
  }

  Status read_cpu(const pugi::xml_node& cpu) {
    ++cpus_;
    nccl::Above above;
    above.host = hosts_[cpu.attribute("host_hash").value()];
    if (const auto id = integer(cpu, "numaid"); id && *id >= 0 && *id < CpuSet::kMaxCpu) {
      above.numa = static_cast<int>(*id);
    }
    if (const std::string_view mask = cpu.attribute("affinity").value(); !mask.empty()) {
      auto cpus = CpuSet::from_mask(mask);
      if (!cpus) {
        return fail(devices_.error(cpu, fmt::format("affinity '{}' is not a CPU mask", mask),
                                   "write it like ffffffff,00000000"));
      }
      above.affinity = std::move(*cpus);
    }
    HostFact host;
    host.arch = cpu.attribute("arch").value();
    host.cpu_vendor = cpu.attribute("vendor").value();
    host.cpu_family = std::max(0, small(cpu, "familyid"));
    host.cpu_model = std::max(0, small(cpu, "modelid"));
    if (!above.numa) loose_cpus_[above.host] = loose_cpus_[above.host] | above.affinity;
    if (host.arch.empty() && !said_no_arch_) {
      said_no_arch_ = true;
      // "Attribute arch of node cpu not found": aws/aws-ofi-nccl#476.
      devices_.warn(cpu, above.host, "nccl-no-arch",
                    "<cpu> has no arch; NCCL refuses such a file once it has to look at it");
    }
    devices_.add(cpu, above.host, std::move(host));
    if (above.numa) {
      NumaFact numa;
      numa.node.id = *above.numa;
      numa.node.cpus = above.affinity;
      devices_.add(cpu, above.host, std::move(numa));
    }
    return devices_.read_below(cpu, above);
  }

  void note(std::string code, std::string message) {
    devices_.facts.push_back(
        {{"nccl-xml", file_, 0},
         hosts_.begin()->second,
         WarningFact{{std::move(code), Warning::Severity::note, file_, 0, std::move(message)}}});
  }

  void finish() {
    for (const auto& [host, cpus] : loose_cpus_) {
      if (cpus.empty()) continue;
      HostFact fact;
      fact.cpus = cpus;
      for (const auto& said : devices_.facts) {
        const auto* numa = std::get_if<NumaFact>(&said.what);
        if (numa != nullptr && said.host == host) fact.cpus = fact.cpus | numa->node.cpus;
      }
      devices_.facts.push_back({{"nccl-xml", file_, 0}, host, std::move(fact)});
    }
    if (devices_.gpus > 1 && devices_.links == 0) {
      // Files that cloud providers ship list addresses; NCCL asks the driver for the NVLinks.
      note("nvlink-not-said",
           "the file says nothing of links between its GPUs; they are taken to have none");
    }
    if (const int elements = systems_ + cpus_ + devices_.elements; elements > kNcclMostNodes) {
      note("nccl-too-many-nodes", fmt::format("{} XML elements; NCCL up to 2.28 reads at most {}",
                                              elements, kNcclMostNodes));
    }
  }

  const std::string& file_;
  nccl::DeviceReader devices_;
  std::map<std::string, std::string> hosts_;  ///< host_hash -> name
  std::map<std::string, CpuSet> loose_cpus_;  ///< host -> CPUs of <cpu>s without a number
  int systems_ = 0, cpus_ = 0;
  bool said_no_arch_ = false;
};

}  // namespace

Result<std::vector<Fact>> facts_from_nccl_xml(std::string_view text, const std::string& file,
                                              const std::string& host) {
  const XmlLines lines(text);
  pugi::xml_document document;
  if (auto parsed = parse_xml(text, file, lines, document); !parsed) {
    return tl::unexpected(std::move(parsed.error()));
  }
  return Reader(file, lines).read(document, host);
}

}  // namespace topolaunch::topo
