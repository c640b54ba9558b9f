// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/own_cpus.h"
#include "topo/source/cgroup.h"
#include "topo/source/hwloc_cpus.h"
#include "topo/source/hwloc_devices.h"
#include "topo/source/hwloc_topology.h"
#include "topo/source/hwloc_xml.h"
#include "topo/source/sysfs_pci.h"
#include "topo/source/this_machine.h"

namespace topolaunch::topo {
namespace {


class Facts {
 public:
  Facts(Origin origin, std::string host) : origin_(std::move(origin)), host_(std::move(host)) {}
  template <class What>
  void add(What what) {
    facts_.push_back({origin_, host_, std::move(what)});
  }
  std::vector<Fact> take() { return std::move(facts_); }

 private:
  Origin origin_;
  std::string host_;
  std::vector<Fact> facts_;
};

/// The kernel's own lists of the nodes' CPUs: empty for a node of memory alone, where hwloc names its
/// neighbours'.
void take_cpus_of_kernel(std::vector<NumaNode>& nodes, hwloc_topology_t topology, const Files& files) {
  const CpuSet existing = to_cpu_set(hwloc_topology_get_topology_cpuset(topology));
  for (NumaNode& node : nodes) {
    const auto line =
        read_line(files, fmt::format("/sys/devices/system/node/node{}/cpulist", node.id));
    if (!line) continue;
    if (const auto cpus = CpuSet::from_list(*line)) node.cpus = *cpus & existing;
  }
}

/// `kernel` for a machine whose /sys can be read.
std::vector<Fact> facts_of(hwloc_topology_t topology, Origin origin, const std::string& host,
                           const std::map<std::uint32_t, std::uint32_t>& domains,
                           const Files* kernel = nullptr) {
  Facts facts(std::move(origin), host);
  auto nodes = numa_nodes(topology);
  if (kernel != nullptr) take_cpus_of_kernel(nodes, topology, *kernel);
  const auto warnings = crossing_nodes(topology, nodes);
  facts.add(host_fact(topology, nodes));
  for (const NumaNode& node : nodes) facts.add(NumaFact{node});
  for (DeviceFact& device : device_facts(topology, nodes, domains)) {
    std::visit([&](auto& fact) { facts.add(std::move(fact)); }, device);
  }
  for (const Warning& warning : warnings) facts.add(WarningFact{warning});
  return facts.take();
}

Result<std::vector<Fact>> read_xml(const std::string& text, const std::string& file,
                                   const std::string& source, const std::string& host) {
  auto xml = prepare_hwloc_xml(text, file);
  if (!xml) return fail(std::move(xml).error());
  auto topology = hwloc_of_xml(xml->text, file);
  if (!topology) return fail(std::move(topology).error());
  const Origin origin{source, file, 0};
  const std::string name = host.empty() ? xml->host_name : host;
  auto facts = facts_of(topology->get(), origin, name, xml->domains);
  for (Warning& warning : xml->warnings) facts.push_back({origin, name, WarningFact{std::move(warning)}});
  return facts;
}

/// "Cpus_allowed_list:\t0-1,8-9" of /proc/self/status.
CpuSet status_list(const Files& files, std::string_view key) {
  const auto text = files.read("/proc/self/status", std::size_t{1} << 20);
  if (!text) return {};
  const auto at = text->find(std::string(key) + ":");
  if (at == std::string::npos || (at > 0 && (*text)[at - 1] != '\n')) return {};
  const auto from = at + key.size() + 1;
  auto set = CpuSet::from_list(std::string_view(*text).substr(from, text->find('\n', from) - from));
  return set ? *set : CpuSet();
}

/// Takes the tighter of two limits; two that exclude each other can't both be understood rightly, so
/// the first stays and a warning says it: never the empty set.
void narrow(CpuSet& allowed, const CpuSet& limit, const std::string& what, const std::string& by,
            std::vector<Warning>& warnings) {
  if (limit.empty()) return;
  const CpuSet both = allowed & limit;
  if (!both.empty() || allowed.empty()) {
    allowed = allowed.empty() ? limit : both;
    return;
  }
  warnings.push_back({"allowed-conflict", Warning::Severity::warning, {}, 0,
                      fmt::format("{} {} allowed by hwloc and {} allowed by {} have none in common; "
                                  "the first are used",
                                  what, allowed.to_list(), limit.to_list(), by)});
}

/// What /proc, the control groups and the process's own mask add to hwloc's view.
void restrict_to_process(HostFact& fact, const Outside& outside, const TopologyChoice& choice,
                         std::vector<Warning>& warnings) {
  const Files& files = outside.files;
  const CgroupLimits limits = read_cgroup_limits(files);
  if (limits.cpus) narrow(fact.allowed_cpus, *limits.cpus, "CPUs", "the control group", warnings);
  if (limits.memory_nodes) {
    narrow(fact.allowed_memory, *limits.memory_nodes, "memory nodes", "the control group", warnings);
  }
  const CpuSet affinity =
      choice.captured_files ? status_list(files, "Cpus_allowed_list") : own_cpus();
  narrow(fact.allowed_cpus, affinity, "CPUs", "the process's affinity", warnings);
  narrow(fact.allowed_memory, status_list(files, "Mems_allowed_list"), "memory nodes",
         "the process's memory policy", warnings);
  fact.cpu_quota = limits.cpu_quota;
  fact.memory_limit = limits.memory;
  fact.boot_id = read_line(files, "/proc/sys/kernel/random/boot_id").value_or("");
}

Result<std::vector<Fact>> load(const TopologyChoice& choice, const Outside& outside,
                               const std::string& host) {
  const Origin live{"hwloc", {}, 0};
  switch (choice.kind) {
    case TopologyChoice::Kind::xml: {
      // hwloc's own variable names a file of this machine, never one below Files' root.
      const auto text = RootedFiles().read(choice.value, std::size_t{64} << 20);
      if (!text) return fail(Error(text.error()).within(choice.variable));
      return read_xml(*text, choice.value, "hwloc", host);
    }
    case TopologyChoice::Kind::synthetic: {
      auto topology = hwloc_of_synthetic(choice.value);
      if (!topology) return fail(std::move(topology).error().within(choice.variable));
      return facts_of(topology->get(), live, host, {});
    }
    case TopologyChoice::Kind::folder:
    case TopologyChoice::Kind::operating_system:
      break;
  }
  const bool own = choice.variable == "HWLOC_FSROOT";
  if (!(own ? RootedFiles(choice.value).exists("/sys/devices/system/cpu")
            : outside.files.exists("/sys/devices/system/cpu"))) {
    return fail(Code::unavailable, fmt::format("no {}/sys/devices/system/cpu to read the CPUs from",
                                               choice.value == "/" ? "" : choice.value),
                "mount sysfs");
  }
  auto topology = hwloc_of_system(choice.value);
  if (!topology) return fail(std::move(topology).error());
  const RootedFiles of_folder(choice.value);
  return facts_of(topology->get(), live, host, {}, own ? &of_folder : &outside.files);
}

/// Vendor, family and model from /proc/cpuinfo of a capture: hwloc reads it only if it knows the
/// architecture, which uname says of this machine alone.
void fill_processor(HostFact& fact, const Files& files) {
  if (!fact.cpu_vendor.empty()) return;
  const auto text = files.read("/proc/cpuinfo", std::size_t{16} << 20);
  if (!text) return;
  const auto value = [&](std::string_view key) -> std::string {
    const auto at = text->find(key);
    if (at == std::string::npos || (at > 0 && (*text)[at - 1] != '\n')) return {};
    const auto colon = text->find(':', at);
    const auto end = std::min(text->find('\n', at), text->size());
    return colon < end ? text->substr(std::min(colon + 2, end), end - std::min(colon + 2, end)) : std::string();
  };
  fact.cpu_vendor = value("vendor_id");
  const std::string family = value("cpu family"), model = value("model\t");
  std::from_chars(family.data(), family.data() + family.size(), fact.cpu_family);
  std::from_chars(model.data(), model.data() + model.size(), fact.cpu_model);
}

/// Of a file that says no architecture; hwloc asks this kernel for its own machine only.
void fill_architecture(HostFact& fact) {
  struct utsname name {};
  if (fact.arch.empty() && ::uname(&name) == 0) fact.arch = name.machine;
}

}  // namespace

Result<std::vector<Fact>> HwlocSource::look(const Outside& outside) const {
  const TopologyChoice choice = topology_choice(outside.environment);
  auto facts = load(choice, outside, host_);
  if (!facts) return facts;
  std::vector<Warning> warnings;
  auto& host = std::get<HostFact>(facts->front().what);
  const Origin origin = facts->front().origin;
  if (choice.this_machine) fill_architecture(host);
  if (choice.kind == TopologyChoice::Kind::folder && choice.captured_files) {
    fill_processor(host, outside.files);
  }
  if (choice.this_machine || choice.captured_files) {
    restrict_to_process(host, outside, choice, warnings);
  }
  if (!choice.this_machine) {
    warnings.push_back(
        {"not-this-machine", Warning::Severity::note, {}, 0,
         fmt::format("the CPUs are those of {}={}, not of this machine{}", choice.variable,
                     choice.value,
                     choice.captured_files ? "" : "; this process's own limits are left aside")});
  }
  // NICs come with more detail from /sys, where there is one that belongs to the machine.
  if (choice.this_machine || choice.captured_files) {
    std::erase_if(*facts, [](const Fact& fact) { return std::holds_alternative<NicFact>(fact.what); });
  }
  for (Warning& warning : warnings) facts->push_back({origin, host_, WarningFact{std::move(warning)}});
  return facts;
}

Result<std::vector<Fact>> facts_from_hwloc_xml(const std::string& text, const std::string& file) {
  return read_xml(text, file, "hwloc-xml", {});
}

}  // namespace topolaunch::topo
