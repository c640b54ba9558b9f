// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "base/cpu_set.h"

namespace topolaunch::topo {
namespace {

constexpr std::size_t kMostObjects = 1'000'000;
constexpr int kDeepest = 200;  // hwloc recurses over objects; real machines have 15 to 25 levels
constexpr unsigned kMostNumbers = CpuSet::kMaxCpu;
constexpr unsigned kShortDomains = 0x10000;  // Debian's hwloc keeps PCI domains in 16 bits

int line_of(const std::string& text, std::ptrdiff_t offset) {
  const auto end = text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

bool is_osdev(pugi::xml_node object) {
  return std::strcmp(object.attribute("type").value(), "OSDev") == 0;
}

/// Objects that are a set of CPUs and of NUMA nodes; devices and notes hang beside those.
bool has_sets(pugi::xml_node object) {
  constexpr const char* kWithout[] = {"Bridge", "PCIDev", "OSDev", "Misc"};
  const char* const type = object.attribute("type").value();
  return std::ranges::none_of(kWithout, [&](const char* t) { return std::strcmp(type, t) == 0; });
}

/// "0x0000000f", "0xf...f,0x1", "0x1,,0x0": words of 32 bits, most significant first, those of zero may be
/// empty. hwloc 2.9 aborts on others.
bool is_set(std::string_view text) {
  constexpr std::string_view kAllAbove = "0xf...f";
  if (text.starts_with(kAllAbove)) {
    text.remove_prefix(kAllAbove.size());
    if (text.empty()) return true;
    if (!text.starts_with(',')) return false;
    text.remove_prefix(1);
  }
  for (unsigned words = 0; words < kMostNumbers / 32; ++words) {
    const auto comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    const bool prefixed = word.starts_with("0x");
    if (prefixed) word.remove_prefix(2);
    if (word.size() > 8 || (prefixed && word.empty()) ||
        word.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
      return false;
    }
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
  return false;  // longer than any machine
}

/// hwloc 3 writes the kinds of an OS device as bits, hwloc 2 as one number (include/hwloc.h of both).
int osdev_type_2(unsigned bits, std::string_view name) {
  enum Bit : unsigned { storage = 1, memory = 2, gpu = 4, coprocessor = 8, network = 16, fabrics = 32, dma = 64 };
  if ((bits & fabrics) != 0) return 3;
  if ((bits & network) != 0) return 2;
  if ((bits & coprocessor) != 0) return name.starts_with("nvml") || name.starts_with("rsmi") ? 1 : 5;
  if ((bits & gpu) != 0) return 1;
  if ((bits & dma) != 0) return 4;
  return 0;
}

class Preparation {
 public:
  Preparation(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  Result<HwlocXml> run() {
    // parse_default without document type and comments: they are dropped, entities stay unexpanded.
    const auto parsed = document_.load_buffer(text_.data(), text_.size());
    if (!parsed) return bad(parsed.offset, fmt::format("not XML: {}", parsed.description()));
    const auto root = document_.document_element();
    if (std::strcmp(root.name(), "topology") != 0 || !root.child("object")) {
      return bad(root.offset_debug(), "not an hwloc topology: no <topology> with an <object>");
    }
    const std::string version = root.attribute("version").value();
    std::from_chars(version.data(), version.data() + version.size(), major_);
    if (const auto status = visit_objects(root); !status) return fail(status.error());
    relabel(root, version);
    shorten_domains();
    HwlocXml out;
    out.warnings = std::move(warnings_);
    for (const auto& [wide, narrow] : narrow_) out.domains[narrow] = wide;
    for (const auto info : root.child("object").children("info")) {
      if (std::strcmp(info.attribute("name").value(), "HostName") == 0) {
        out.host_name = info.attribute("value").value();
      }
    }
    struct StringWriter final : pugi::xml_writer {
      std::string text;
      void write(const void* data, std::size_t size) override {
        text.append(static_cast<const char*>(data), size);
      }
    } writer;
    document_.save(writer, "", pugi::format_raw);
    out.text = std::move(writer.text);
    return out;
  }

 private:
  tl::unexpected<Error> bad(std::ptrdiff_t offset, std::string what) const {
    return fail(Error{Code::invalid_input, std::move(what), "write one with: lstopo machine.xml", file_,
                      line_of(text_, offset)});
  }

  /// Sets are as long as the largest number in them: -1, hwloc's for none, would be half a gigabyte.
  Status check_number(pugi::xml_node object) const {
    const std::string_view type = object.attribute("type").value();
    if (type != "PU" && type != "NUMANode") return {};
    const auto number = object.attribute("os_index");
    const std::string_view digits = number.value();
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc{} && end == digits.data() + digits.size() && value < kMostNumbers) return {};
    if (!number) return bad(object.offset_debug(), fmt::format("the {} has no \"os_index\"", type));
    return bad(object.offset_debug(), fmt::format("the {} has the number {:.20}: 0 to {} are possible",
                                                  type, digits, kMostNumbers - 1));
  }

  /// hwloc reads the two kinds into enums of two values, unlooked at: 0 = the host, 1 = PCI.
  Status check_bridge(pugi::xml_node object) const {
    const std::string_view kinds = object.attribute("bridge_type").value();
    if (kinds.empty() || kinds == "0-1" || kinds == "1-1") return {};
    return bad(object.offset_debug(), fmt::format("\"bridge_type\" is neither 0-1 nor 1-1: '{:.20}'", kinds));
  }

  /// hwloc 2.9 follows null pointers where an object lacks one of its four sets. The complete ones are
  /// the others with what is offline: made up where they are missing.
  Status check_sets(pugi::xml_node object) {
    if (!has_sets(object)) return {};
    for (const char* name : {"cpuset", "nodeset"}) {
      const auto set = object.attribute(name);
      const std::string complete = std::string("complete_") + name;
      if (set && !object.attribute(complete.c_str())) {
        object.append_attribute(complete.c_str()).set_value(set.value());
      } else if (!set && major_ >= 2) {
        return bad(object.offset_debug(), fmt::format("the {} has no \"{}\"",
                                                      object.attribute("type").value(), name));
      }
    }
    return {};
  }

  /// Walks over all objects without recursion; collects those with a PCI address.
  Status visit_objects(pugi::xml_node root) {
    std::size_t count = 0;
    int depth = 0;
    pugi::xml_node node = root.first_child();
    while (node) {
      for (const auto attribute : node.attributes()) {
        const std::string_view name = attribute.name();
        if (!name.ends_with("cpuset") && !name.ends_with("nodeset")) continue;
        if (!is_set(attribute.value())) {
          return bad(node.offset_debug(), fmt::format("\"{}\" is no set of numbers: '{:.40}'", name, attribute.value()));
        }
      }
      if (std::strcmp(node.name(), "object") == 0) {
        if (++count > kMostObjects) return bad(node.offset_debug(), "more than a million objects");
        if (node.attribute("pci_busid") || node.attribute("bridge_pci")) pci_.push_back(node);
        if (is_osdev(node)) osdevs_.push_back(node);
        for (const auto& status : {check_number(node), check_bridge(node), check_sets(node)})
          if (!status) return status;
      }
      if (node.first_child()) {
        if (++depth > kDeepest) {
          return bad(node.offset_debug(), fmt::format("nested deeper than {} levels", kDeepest));
        }
        node = node.first_child();
        continue;
      }
      while (node && !node.next_sibling()) {
        node = node.parent();
        if (node == root) return {};
        --depth;
      }
      if (node) node = node.next_sibling();
    }
    return {};
  }

  void relabel(pugi::xml_node root, const std::string& version) {
    if (major_ <= 2) return;
    root.attribute("version").set_value("2.0");
    for (auto osdev : osdevs_) {
      auto type = osdev.attribute("osdev_type");
      type.set_value(osdev_type_2(type.as_uint(), osdev.attribute("name").value()));
    }
    // What holds for the whole topology stands behind the objects in version 3, in the machine in 2.
    auto machine = root.child("object");
    for (auto info = root.child("info"); info;) {
      const auto next = info.next_sibling("info");
      machine.prepend_copy(info);
      root.remove_child(info);
      info = next;
    }
    std::string dropped;
    for (const char* name : {"memattr", "cpukind"}) {
      bool any = false;
      while (root.remove_child(name)) any = true;
      if (any) dropped += fmt::format("{}{}", dropped.empty() ? "" : ", ", name);
    }
    warnings_.push_back(
        {"hwloc-xml-version", Warning::Severity::note, file_, line_of(text_, root.offset_debug()),
         fmt::format("hwloc XML {} is read as 2.0{}", version,
                     dropped.empty() ? std::string()
                                     : fmt::format("; not taken over: {}", dropped))});
  }

  /// "10000:01:00.0" -> 0x10000; nothing if the text doesn't begin with a domain.
  static std::optional<std::uint32_t> domain_of(std::string_view text) {
    const auto colon = text.find(':');
    std::uint32_t domain = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()),
                                              domain, 16);
    if (error != std::errc{} || colon == std::string_view::npos || end != text.data() + colon) {
      return std::nullopt;
    }
    return domain;
  }

  void shorten_domains() {
    std::set<std::uint32_t> used;
    for_each_domain([&](pugi::xml_attribute, std::uint32_t domain) { used.insert(domain); });
    std::uint32_t spare = kShortDomains - 1;
    for (const std::uint32_t domain : used) {
      if (domain < kShortDomains) continue;
      while (spare > 0 && used.contains(spare)) --spare;
      if (spare == 0) break;  // more than 65535 domains: hwloc drops the rest
      narrow_[domain] = spare--;
    }
    if (narrow_.empty()) return;
    for_each_domain([&](pugi::xml_attribute attribute, std::uint32_t domain) {
      const auto found = narrow_.find(domain);
      if (found == narrow_.end()) return;
      const std::string_view old = attribute.value();
      const std::string renamed =
          fmt::format("{:04x}{}", found->second, old.substr(old.find(':')));
      attribute.set_value(renamed.c_str());
    });
  }

  template <class Visit>
  void for_each_domain(Visit visit) {
    for (auto object : pci_) {
      for (const char* name : {"pci_busid", "bridge_pci"}) {
        auto attribute = object.attribute(name);
        if (!attribute) continue;
        if (const auto domain = domain_of(attribute.value())) visit(attribute, *domain);
      }
    }
  }

  const std::string& text_;
  const std::string& file_;
  pugi::xml_document document_;
  int major_ = 0;  ///< 0 = none is said: hwloc 1.x, which hwloc 2 reads
  std::vector<pugi::xml_node> pci_, osdevs_;
  std::map<std::uint32_t, std::uint32_t> narrow_;  ///< in the file -> for hwloc
  std::vector<Warning> warnings_;
};

}  // namespace

Result<HwlocXml> prepare_hwloc_xml(const std::string& text, const std::string& file) {
  return Preparation(text, file).run();
}

}  // namespace topolaunch::topo
