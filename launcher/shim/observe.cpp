// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/observe.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <nlohmann/json.hpp>

#include "base/own_cpus.h"
#include "base/own_host.h"
#include "launcher/json_fields.h"
#include "launcher/shim/placement.h"
#include "launcher/supervise/network.h"
#include "topo/source/nvml.h"

namespace topolaunch::launcher {
namespace {

/// "h07" and "h07.cluster.example" are one host.
bool same_host(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto first = [](const std::string& s) { return s.substr(0, s.find('.')); };
  return (first(a) == a || first(b) == b) && first(a) == first(b);
}

void see_numa(RankObservation& seen, const RankPlan& plan, const CpuSet& cpus, const Files& files) {
  const std::string folder = "/sys/devices/system/node";
  const auto names = files.list(folder);
  if (!names) {
    if (plan.numa) seen.problems.push_back("NUMA nodes not checked: " + names.error().message);
    return;
  }
  for (const std::string& name : *names) {
    int node = 0;
    if (!name.starts_with("node")) continue;
    const auto [end, bad] = std::from_chars(name.data() + 4, name.data() + name.size(), node);
    if (bad != std::errc{} || end != name.data() + name.size()) continue;
    const auto text = files.read(folder + "/" + name + "/cpulist", 1 << 16);
    const auto list = text ? CpuSet::from_list(*text) : CpuSet::from_list("");
    if (list && list->intersects(cpus)) seen.numa.push_back(node);
  }
  std::ranges::sort(seen.numa);
  if (plan.numa && std::ranges::find(seen.numa, *plan.numa) == seen.numa.end()) {
    seen.problems.push_back("runs on NUMA node " +
                            (seen.numa.empty() ? "?" : std::to_string(seen.numa[0])) +
                            ", planned " + std::to_string(*plan.numa));
  }
}

/// The entry of CUDA_VISIBLE_DEVICES that "cuda:LOCAL_RANK" means.
std::string visible_device(const std::string& list, int local_rank) {
  std::size_t begin = 0;
  std::vector<std::string> entries;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    entries.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  // One visible device: a MIG instance, or a mask that the resource manager made.
  if (entries.size() == 1) return entries[0];
  return static_cast<std::size_t>(local_rank) < entries.size()
             ? entries[static_cast<std::size_t>(local_rank)]
             : "";
}

void see_gpu(RankObservation& seen, const RankPlan& plan, const Environment& variables) {
  if (plan.gpu_index < 0) return;
  const auto gpus = topo::gpu_identities();
  if (!gpus) {
    seen.problems.push_back("GPU not checked: " + gpus.error().message);
    return;
  }
  const topo::GpuIdentity* gpu = nullptr;
  if (const auto list = variables.get("CUDA_VISIBLE_DEVICES")) {
    const std::string entry = visible_device(*list, plan.local_rank);
    int index = -1;
    const auto [end, bad] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
    if (bad == std::errc{} && end == entry.data() + entry.size()) {
      // An index means NVML's order only where CUDA is told to count in PCI order.
      if (variables.get_or("CUDA_DEVICE_ORDER", "FASTEST_FIRST") != "PCI_BUS_ID") {
        seen.problems.push_back("GPU not checked: CUDA_DEVICE_ORDER isn't PCI_BUS_ID, so index " +
                                entry + " can mean another GPU");
        return;
      }
      if (index >= 0 && static_cast<std::size_t>(index) < gpus->size()) {
        gpu = &(*gpus)[static_cast<std::size_t>(index)];
      }
    } else {
      gpu = topo::find_gpu(*gpus, entry);
    }
    if (gpu == nullptr) {
      seen.problems.push_back("no GPU behind '" + entry + "' of CUDA_VISIBLE_DEVICES=" + *list);
      return;
    }
  } else if (static_cast<std::size_t>(plan.local_rank) < gpus->size()) {
    gpu = &(*gpus)[static_cast<std::size_t>(plan.local_rank)];
  }
  if (gpu == nullptr) {
    seen.problems.push_back("no GPU to be seen, planned " + plan.gpu_pci);
    return;
  }
  seen.gpu_uuid = gpu->uuid;
  seen.gpu_pci = gpu->pci.text();
  const bool wrong_uuid = plan.gpu_uuid.starts_with("GPU-") && plan.gpu_uuid != gpu->uuid;
  const bool wrong_pci = !plan.gpu_pci.empty() && plan.gpu_pci != seen.gpu_pci;
  if (wrong_uuid || wrong_pci) {
    seen.problems.push_back("cuda:" + std::to_string(plan.local_rank) + " is GPU " + seen.gpu_pci +
                            " (" + gpu->uuid + "), planned " + plan.gpu_pci + " (" + plan.gpu_uuid +
                            ")");
  }
}

void see_nics(RankObservation& seen, const RankPlan& plan, const Files& files) {
  for (const std::string& nic : plan.nics) {
    if (files.exists("/sys/class/infiniband/" + nic) || files.exists("/sys/class/net/" + nic)) {
      seen.nics.push_back(nic);
    } else {
      seen.problems.push_back("NIC " + nic + " isn't there");
    }
  }
}

}  // namespace

RankObservation observe_rank(const RankPlan& plan, const Environment& variables,
                             const Outside& outside) {
  RankObservation seen;
  seen.rank = plan.rank;
  seen.pid = ::getpid();
  seen.host = own_host_name();
  // The plan may call a host by an alias or an address.
  seen.on_planned_host =
      plan.host.empty() || same_host(plan.host, seen.host) || is_this_machine(plan.host);
  if (!*seen.on_planned_host) {
    seen.problems.push_back("runs on host " + seen.host + ", planned " + plan.host);
  }
  const CpuSet cpus = own_cpus();
  seen.cpus = cpus.to_list();
  if (!plan.cpus.empty() && cpus != plan.cpus) {
    seen.problems.push_back("runs on CPUs " + seen.cpus + ", planned " + plan.cpus.to_list());
  }
  see_numa(seen, plan, cpus, outside.files);
  seen.memory_policy = memory_policy();
  seen.visible_devices = variables.get_or("CUDA_VISIBLE_DEVICES", "");
  see_gpu(seen, plan, variables);
  see_nics(seen, plan, outside.files);
  return seen;
}

Json to_json(const RankObservation& seen) {
  Json json = Json::object();
  json["rank"] = seen.rank;
  json["pid"] = seen.pid;
  json["host"] = word_to_json(seen.host);
  if (seen.on_planned_host) json["on_planned_host"] = *seen.on_planned_host;
  json["cpus"] = seen.cpus;
  json["numa"] = seen.numa;
  json["memory_policy"] = seen.memory_policy;
  json["visible_devices"] = word_to_json(seen.visible_devices);
  json["gpu_uuid"] = seen.gpu_uuid;
  json["gpu_pci"] = seen.gpu_pci;
  json["nics"] = words_to_json(seen.nics);
  json["problems"] = words_to_json(seen.problems);
  return json;
}

Result<RankObservation> observation_from_json(const Json& json) {
  JsonFields in(json, "observation", "");
  RankObservation seen;
  seen.rank = in.integer("rank", 0, INT_MAX - 1);
  seen.pid = in.integer_or("pid", 0, INT_MAX - 1, 0);
  seen.host = in.text_or("host", {});
  if (in.has("on_planned_host")) seen.on_planned_host = in.flag_or("on_planned_host", false);
  seen.cpus = in.text_or("cpus", {});
  seen.numa = in.integers_or_empty("numa", 0, CpuSet::kMaxCpu);
  seen.memory_policy = in.text_or("memory_policy", {});
  seen.visible_devices = in.text_or("visible_devices", {});
  seen.gpu_uuid = in.text_or("gpu_uuid", {});
  seen.gpu_pci = in.text_or("gpu_pci", {});
  seen.nics = in.texts_or_empty("nics");
  seen.problems = in.texts_or_empty("problems");
  if (in.error()) return fail(*in.error());
  return seen;
}

}  // namespace topolaunch::launcher
