// SPDX-License-Identifier: Apache-2.0
#include "topo/nccl_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "topo/link_speed.h"
#include "topo/xml_lines.h"

namespace topolaunch::topo {
namespace {

constexpr int kDeepest = 32;           ///< levels of <pci>; machines have at most six or so
constexpr int kMostElements = 200000;  ///< a file for one host has a few hundred
constexpr int kMostDevices = 4096;     ///< GPUs and NICs of a file; NCCL itself reads 256 elements
/// NCCL refuses a topology of more XML nodes: NCCL_TOPO_XML_MAX_NODES, 2.28.9 src/graph/xml.h.
constexpr int kNcclMostNodes = 256;

std::optional<long> integer(const pugi::xml_node& node, const char* name) {
  const std::string_view text = node.attribute(name).value();
  if (text.empty()) return {};
  const bool hex = text.starts_with("0x");
  long value = 0;
  const auto digits = hex ? text.substr(2) : text;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return value;
}

int small(const pugi::xml_node& node, const char* name, int fallback = 0) {
  const auto value = integer(node, name);
  return value ? static_cast<int>(std::clamp(*value, -1L, 1L << 30)) : fallback;
}

bool all_f(std::string_view text) {  // "fffffff:ff:ff.0": NCCL's address for "some NVSwitch"
  return text.starts_with("fffff") && text.find_first_not_of("f:.0") == std::string_view::npos;
}

/// What a <pci> or a link target is, from the class code that Linux prints: 0xBBSSPP.
enum class Kind { unknown, gpu, nic, nvswitch, cpu, other };

Kind kind_of(const pugi::xml_node& node, const char* attribute, std::string_view vendor) {
  const auto code = integer(node, attribute);
  if (!code) return Kind::unknown;
  if (*code == 0x068000) return Kind::nvswitch;
  if (*code == 0x068001) return Kind::cpu;  // POWER9's end of an NVLink; NCCL's kvDictPciClass
  const long base = *code >> 16;
  const long sub = *code >> 8;
  if (base == 0x02) return Kind::nic;
  if (sub == 0x0302 || sub == 0x0380 || base == 0x12) return Kind::gpu;
  // A VGA device is a GPU of ours only if NVIDIA or AMD made it: servers have a display for the BMC.
  if (sub == 0x0300) {
    return vendor.empty() || vendor == "0x10de" || vendor == "0x1002" ? Kind::gpu : Kind::other;
  }
  return Kind::other;
}

/// What a device inherits from the <cpu> above it.
struct Above {
  std::string host;
  std::optional<int> numa;
  CpuSet affinity;
};

class Reader {
 public:
  Reader(const std::string& file, const XmlLines& lines) : file_(file), lines_(lines) {}

  Result<std::vector<Fact>> read(const pugi::xml_document& document, const std::string& host) {
    if (auto whole = check_root(document); !whole) return tl::unexpected(std::move(whole.error()));
    name_hosts(document, host);
    for (const auto& system : document.children("system")) {
      for (const auto& cpu : system.children("cpu")) {
        if (auto done = read_cpu(cpu); !done) return tl::unexpected(std::move(done.error()));
      }
    }
    finish();
    return std::move(facts_);
  }

 private:
  Origin origin(const pugi::xml_node& node) const {
    return {"nccl-xml", file_, lines_.line(node)};
  }
  Error error(const pugi::xml_node& node, std::string message, std::string next = {}) const {
    return Error{Code::invalid_input, std::move(message), std::move(next), file_,
                 lines_.line(node)};
  }
  void add(const pugi::xml_node& node, const std::string& host, auto fact) {
    facts_.push_back({origin(node), host, std::move(fact)});
  }
  void warn(const pugi::xml_node& node, const std::string& host, std::string code,
            Warning::Severity severity, std::string message) {
    add(node, host,
        WarningFact{{std::move(code), severity, file_, lines_.line(node), std::move(message)}});
  }

  Status count_device(const pugi::xml_node& node) {
    if (++devices_ <= kMostDevices) return {};
    return fail(error(node, fmt::format("more than {} GPUs and NICs", kMostDevices)));
  }

  Status check_root(const pugi::xml_document& document) const {
    const auto root = document.document_element();
    const std::string_view name = root.name();
    if (name == "graphs" || name == "graph") {
      return fail(error(root,
                        "this is an NCCL graph file (the rings and trees that NCCL chose), "
                        "not a topology",
                        "dump the topology with NCCL_TOPO_DUMP_FILE=topo.xml"));
    }
    if (name != "system") {
      return fail(error(root, fmt::format("the XML begins with <{}>; an NCCL topology begins with "
                                          "<system>", name)));
    }
    if (!root.child("cpu")) {
      return fail(error(root, "the NCCL topology holds no <cpu>, so no machine",
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
    Above above;
    above.host = hosts_[cpu.attribute("host_hash").value()];
    if (auto id = integer(cpu, "numaid"); id && *id >= 0 && *id < CpuSet::kMaxCpu) {
      above.numa = static_cast<int>(*id);
    }
    if (const auto mask = cpu.attribute("affinity"); !std::string_view(mask.value()).empty()) {
      if (auto cpus = CpuSet::from_mask(mask.value())) {
        above.affinity = std::move(*cpus);
      } else {
        return fail(error(cpu, fmt::format("affinity '{}' is not a CPU mask", mask.value()),
                          "write it like ffffffff,00000000"));
      }
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
      warn(cpu, above.host, "nccl-no-arch", Warning::Severity::warning,
           "<cpu> has no arch; NCCL refuses such a file once it has to look at it");
    }
    add(cpu, above.host, std::move(host));
    if (above.numa) {
      NumaFact numa;
      numa.node.id = *above.numa;
      numa.node.cpus = above.affinity;
      add(cpu, above.host, std::move(numa));
    }
    return read_children(cpu, above, {}, 0);
  }

  Status read_children(const pugi::xml_node& parent, const Above& above,
                       const std::vector<PciAddress>& path, int depth) {
    for (const auto& child : parent.children()) {
      if (++elements_ > kMostElements) {
        return fail(error(child, fmt::format("more than {} elements", kMostElements)));
      }
      const std::string_view name = child.name();
      Status done;
      if (name == "pci") {
        done = read_pci(child, above, path, depth);
      } else if (name == "nic") {
        done = count_device(child);
        read_nic(child, parent, above, {}, {}, Kind::unknown);
      } else if (name == "gpu") {
        done = count_device(child);
        if (done) done = read_gpu(child, above, {}, {});
      }
      if (!done) return done;
    }
    return {};
  }

  Status read_pci(const pugi::xml_node& node, const Above& above,
                  const std::vector<PciAddress>& path, int depth) {
    if (depth >= kDeepest) return fail(error(node, "<pci> elements are nested too deeply"));
    const auto pci = PciAddress::parse(node.attribute("busid").value());
    if (!pci) {
      return fail(error(node, fmt::format("busid '{}' is not a PCI address",
                                          node.attribute("busid").value()),
                        "write it like 0000:18:00.0"));
    }
    const bool bridge = static_cast<bool>(node.child("pci"));
    const PciAddress own = repeated(node, above, *pci, bridge);
    const Kind kind = kind_of(node, "class", node.attribute("vendor").value());
    bool device = false;
    for (const auto& child : node.children()) {
      const std::string_view name = child.name();
      if (name == "gpu" || name == "nic" || name == "net") {
        if (auto done = count_device(child); !done) return done;
      }
      if (name == "gpu") {
        device = true;
        ++elements_;
        if (auto done = read_gpu(child, above, *pci, path); !done) return done;
      } else if (name == "nic" || name == "net") {
        device = true;
        ++elements_;
        read_nic(name == "net" ? node : child, node, above, *pci, path, kind);
        if (name == "net") break;
      }
    }
    if (bridge) {
      auto below = path;
      below.push_back(own);
      for (const auto& child : node.children("pci")) {
        if (++elements_ > kMostElements) {
          return fail(error(child, fmt::format("more than {} elements", kMostElements)));
        }
        if (auto done = read_pci(child, above, below, depth + 1); !done) return done;
      }
      return {};
    }
    if (!device) {
      if (auto done = count_device(node); !done) return done;
      read_bare(node, above, *pci, path, kind);
    }
    return {};
  }

  /// Says that an address stands twice. A bridge that repeats another's address is another bridge
  /// all the same (RCCL's models have such): it gets an address that no machine uses.
  PciAddress repeated(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                      bool bridge) {
    const auto [at, added] = seen_.try_emplace({above.host, pci}, lines_.line(node));
    if (added) return pci;
    warn(node, above.host, "pci-repeated", Warning::Severity::warning,
         fmt::format("PCI address {} stands on line {} too", pci.text(), at->second));
    if (!bridge) return pci;
    PciAddress own = pci;
    own.domain = 0xfffffff0U - static_cast<std::uint32_t>(seen_.size() + ++repeats_);
    return own;
  }

  /// A device that the file lists with its address alone: Azure's and AWS's files are made so.
  void read_bare(const pugi::xml_node& node, const Above& above, const PciAddress& pci,
                 const std::vector<PciAddress>& path, Kind kind) {
    if (kind == Kind::gpu) {
      ++gpus_;
      add(node, above.host, gpu_place(node, above, pci, path));
    } else if (kind == Kind::nic) {
      Nic nic;
      nic.pci = pci;
      nic.numa = above.numa;
      nic.pcie_path = path;
      set_layer(node, nic);
      add(node, above.host, NicFact{std::move(nic)});
    } else if (kind == Kind::unknown) {
      PciFact fact;
      fact.pci = pci;
      fact.numa = above.numa;
      fact.affinity = above.affinity;
      fact.pcie_path = path;
      add(node, above.host, std::move(fact));
    }
  }

  static GpuFact gpu_place(const pugi::xml_node& pci_node, const Above& above,
                           const std::optional<PciAddress>& pci,
                           const std::vector<PciAddress>& path) {
    GpuFact gpu;
    gpu.pci = pci;
    gpu.numa = above.numa;
    gpu.affinity = above.affinity;
    gpu.pcie_path = path;
    // NCCL writes what the link can do (max_link_speed) and reckons with it.
    gpu.pcie_generation_max = pcie_generation(pci_node.attribute("link_speed").value()).value_or(0);
    gpu.pcie_width_max = std::clamp(small(pci_node, "link_width"), 0, 32);
    gpu.pcie_generation = gpu.pcie_generation_max;
    gpu.pcie_width = gpu.pcie_width_max;
    return gpu;
  }

  Status read_gpu(const pugi::xml_node& node, const Above& above,
                  const std::optional<PciAddress>& pci, const std::vector<PciAddress>& path) {
    GpuFact gpu = gpu_place(node.parent(), above, pci, path);
    ++gpus_;
    if (auto dev = integer(node, "dev"); dev && *dev >= 0) gpu.index = small(node, "dev");
    const std::string gcn = node.attribute("gcn").value();
    if (!gcn.empty()) {  // RCCL: sm is the number of compute units then
      const std::string_view vendor = node.parent().attribute("vendor").value();
      const std::string name = gcn == "910" ? "gfx90a" : gcn.starts_with("gfx") ? gcn : "gfx" + gcn;
      gpu.model = (vendor == "0x1d94" ? "Hygon DCU " : "AMD ") + name.substr(0, 32);
    } else if (const int sm = small(node, "sm"); sm >= 30 && sm < 1000) {
      gpu.compute_capability = sm;
    }
    GpuRef self;
    self.pci = gpu.pci;
    self.index = gpu.index;
    add(node, above.host, std::move(gpu));
    for (const auto& child : node.children()) {
      if (++elements_ > kMostElements) {
        return fail(error(child, fmt::format("more than {} elements", kMostElements)));
      }
      read_link(child, above, self);
    }
    return {};
  }

  void read_link(const pugi::xml_node& node, const Above& above, const GpuRef& self) {
    const std::string_view name = node.name();
    GpuLinkFact link;
    link.from = self;
    ++links_;
    link.count = std::max(0, small(node, "count", 1));
    if (name == "c2c") {
      link.type = LinkType::c2c;
      link.to = GpuLink::To::cpu;
      // bw is MB/s a link (NCCL 2.28.9 src/graph/topo.cc, ncclTopoAddC2c).
      link.bandwidth =
          Bandwidth::bytes_per_second(std::max(0, small(node, "bw")) * 1e6 * link.count);
    } else if (name == "nvlink" || name == "xgmi") {
      link.type = name == "xgmi" ? LinkType::xgmi : LinkType::nvlink;
      const std::string_view target = node.attribute("target").value();
      const auto pci = PciAddress::parse(target);
      const Kind kind = kind_of(node, "tclass", {});
      if (kind == Kind::nvswitch || all_f(target)) {
        link.to = GpuLink::To::nvswitch;
      } else if (kind == Kind::cpu) {
        link.to = GpuLink::To::cpu;
      } else if ((kind == Kind::gpu || kind == Kind::unknown) && pci) {
        link.to = GpuLink::To::gpu;
        link.peer.pci = *pci;
      } else {
        warn(node, above.host, "nvlink-unknown-target", Warning::Severity::warning,
             fmt::format("link target '{}' is no PCI address of a GPU", target.substr(0, 40)));
      }
    } else {
      return;
    }
    add(node, above.host, std::move(link));
  }

  static void set_layer(const pugi::xml_node& pci_node, Nic& nic) {
    const auto code = integer(pci_node, "class");
    const auto begins = [&nic](std::string_view prefix) { return nic.name.starts_with(prefix); };
    if (begins("rdmap") || begins("efa")) {
      nic.layer = Nic::Layer::efa;
    } else if (code && (*code >> 8) == 0x0207) {
      nic.layer = Nic::Layer::infiniband;
    } else if (code && (*code >> 8) == 0x0200 && nic.name.empty()) {
      nic.layer = Nic::Layer::ethernet;
    }
    nic.rdma = nic.rdma || (code && (*code >> 8) == 0x0207) || begins("mlx") || begins("rdmap") ||
               begins("roce") || begins("ibp") || begins("bnxt_re") || begins("irdma");
  }

  /// Several <net> of one name are ports of one device: their speeds add up.
  void read_nic(const pugi::xml_node& node, const pugi::xml_node& pci_node, const Above& above,
                const std::optional<PciAddress>& pci, const std::vector<PciAddress>& path,
                Kind kind) {
    std::vector<std::pair<pugi::xml_node, Nic>> nics;
    for (const auto& net : node.children("net")) {
      if (++elements_ > kMostElements || ++devices_ > kMostDevices) return;
      const std::string name = net.attribute("name").value();
      auto at = std::find_if(nics.begin(), nics.end(), [&name](const auto& entry) {
        return !name.empty() && entry.second.name == name;
      });
      if (at == nics.end()) {
        Nic nic;
        nic.name = name;
        nic.pci = pci;
        nic.numa = above.numa;
        nic.pcie_path = path;
        nic.rdma = small(net, "gdr") == 1;
        const std::string guid = net.attribute("guid").value();
        if (guid.find_first_not_of("0x") != std::string::npos) nic.guid = guid;
        set_layer(pci_node, nic);
        at = nics.insert(nics.end(), {net, std::move(nic)});
      }
      // Speed is Mb/s; NCCL takes 10 Gb/s for 0 and below, we say that it isn't known.
      const double speed = std::max(0, small(net, "speed"));
      at->second.rate = Bandwidth::bytes_per_second(at->second.rate.bytes_per_second() +
                                                    Bandwidth::megabits_per_second(speed)
                                                        .bytes_per_second());
    }
    for (auto& [net, nic] : nics) add(net, above.host, NicFact{std::move(nic)});
    if (nics.empty() && pci && kind != Kind::gpu) {
      Nic nic;
      nic.pci = pci;
      nic.numa = above.numa;
      nic.pcie_path = path;
      set_layer(pci_node, nic);
      add(node, above.host, NicFact{std::move(nic)});
    }
  }

  void finish() {
    for (const auto& [host, cpus] : loose_cpus_) {
      if (cpus.empty()) continue;
      HostFact fact;
      fact.cpus = cpus;
      for (const auto& said : facts_) {
        const auto* numa = std::get_if<NumaFact>(&said.what);
        if (numa != nullptr && said.host == host) fact.cpus = fact.cpus | numa->node.cpus;
      }
      facts_.push_back({{"nccl-xml", file_, 0}, host, std::move(fact)});
    }
    if (gpus_ > 1 && links_ == 0) {
      // Files that cloud providers ship list addresses; NCCL asks the driver for the NVLinks.
      facts_.push_back(
          {{"nccl-xml", file_, 0},
           hosts_.begin()->second,
           WarningFact{{"nvlink-not-said", Warning::Severity::note, file_, 0,
                        "the file says nothing of links between its GPUs; they are taken to have "
                        "none"}}});
    }
    if (elements_ > kNcclMostNodes) {
      facts_.push_back(
          {{"nccl-xml", file_, 0},
           hosts_.begin()->second,
           WarningFact{{"nccl-too-many-nodes", Warning::Severity::note, file_, 0,
                        fmt::format("{} XML elements; NCCL up to 2.28 reads at most {}",
                                    elements_, kNcclMostNodes)}}});
    }
  }

  const std::string& file_;
  const XmlLines& lines_;
  std::vector<Fact> facts_;
  std::map<std::string, std::string> hosts_;      ///< host_hash -> name
  std::map<std::string, CpuSet> loose_cpus_;      ///< host -> CPUs of <cpu>s without a number
  std::map<std::pair<std::string, PciAddress>, int> seen_;
  int elements_ = 0;
  int devices_ = 0;
  int gpus_ = 0;
  int links_ = 0;
  unsigned repeats_ = 0;
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
