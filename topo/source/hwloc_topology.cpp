// SPDX-License-Identifier: Apache-2.0
#include "topo/source/hwloc_topology.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace topolaunch::topo {
namespace {

/// A variable of this process's environment, set for a scope: hwloc takes some choices that way only.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value, bool even_if_set) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    if (old_ && !even_if_set) return;
    ::setenv(name, value.c_str(), 1);
    changed_ = true;
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    if (!changed_) return;
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
  bool changed_ = false;
};

Result<HwlocTopology> loaded(HwlocTopology topology, Error error) {
  hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  errno = 0;
  if (hwloc_topology_load(topology.get()) != 0) {
    if (errno != 0) error.message += fmt::format(" ({})", std::strerror(errno));
    return fail(std::move(error));
  }
  if (hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(topology.get())) < 1) {
    error.message += ": it has no CPU";
    return fail(std::move(error));
  }
  return topology;
}

HwlocTopology fresh() {
  hwloc_topology_t topology = nullptr;
  return HwlocTopology(hwloc_topology_init(&topology) == 0 ? topology : nullptr);
}

tl::unexpected<Error> no_hwloc() {
  return fail(Code::internal, fmt::format("hwloc does not start ({})", std::strerror(errno)));
}

}  // namespace

Result<HwlocTopology> hwloc_of_system(const std::string& folder) {
  // Plugins (X11, OpenCL, libxml2) cost 5 ms to load and are all about devices or files.
  const ScopedVariable no_plugins("HWLOC_PLUGINS_PATH", "/nonexistent", false);
  // hwloc hides the memory nodes of NVIDIA GPUs unless told otherwise (since 2.9).
  const ScopedVariable gpu_nodes("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES", "1", false);
  // Contradictions in what the firmware says: hwloc would write a page to stderr. The source warns.
  const ScopedVariable quiet("HWLOC_HIDE_ERRORS", "2", false);
  std::optional<ScopedVariable> root;
  if (!folder.empty()) root.emplace("HWLOC_FSROOT", folder, true);
  auto topology = fresh();
  if (!topology) return no_hwloc();
  // The x86 component asks the processor that it runs on, also for a folder of another machine, and
  // visits every CPU to do so. The kernel's files hold all that is wanted.
  hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  return loaded(std::move(topology), Error{Code::unavailable, "hwloc can't read this machine", {}, {}, 0});
}

Result<HwlocTopology> hwloc_of_xml(const std::string& text, const std::string& file) {
  const Error error{Code::invalid_input, "hwloc can't read this topology",
                    "check it with: lstopo --input " + file, file, 0};
  const ScopedVariable quiet("HWLOC_HIDE_ERRORS", "2", false);
  auto topology = fresh();
  if (!topology) return no_hwloc();
  hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_ALL);
  // Its length is counted with the zero at the end.
  if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(),
                                   static_cast<int>(text.size()) + 1) != 0) {
    return fail(error);
  }
  return loaded(std::move(topology), error);
}

Result<HwlocTopology> hwloc_of_synthetic(const std::string& description) {
  const Error error{Code::invalid_input,
                    fmt::format("'{}' is not a synthetic topology of hwloc's", description),
                    "write it like \"pack:2 numa:2 core:8 pu:2\"", {}, 0};
  auto topology = fresh();
  if (!topology) return no_hwloc();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0) return fail(error);
  return loaded(std::move(topology), error);
}

CpuSet to_cpu_set(hwloc_const_bitmap_t bitmap) {
  CpuSet set;
  if (bitmap == nullptr) return set;
  for (int i = hwloc_bitmap_first(bitmap); i >= 0 && i < CpuSet::kMaxCpu;
       i = hwloc_bitmap_next(bitmap, i)) {
    set.add(i);
  }
  return set;
}

std::string info_of(hwloc_obj_t object, const char* name) {
  const char* const value = hwloc_obj_get_info_by_name(object, name);
  return value != nullptr ? value : "";
}

}  // namespace topolaunch::topo
