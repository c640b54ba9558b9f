// SPDX-License-Identifier: Apache-2.0
#include "launcher/device_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace topolaunch::launcher {
namespace {

std::map<int, std::vector<const VisibleDevice*>> devices_by_gpu(const VisibleGpus& visible) {
  std::map<int, std::vector<const VisibleDevice*>> out;
  for (const VisibleDevice& device : visible.devices) out[device.gpu].push_back(&device);
  return out;
}

/// The group's GPUs in the order of its ranks, then the other whole GPUs in theirs.
std::string list_of(const VisibleGpus& visible, const std::vector<const VisibleDevice*>& own) {
  std::string list;
  std::set<const VisibleDevice*> used;
  const auto append = [&](const VisibleDevice* device) {
    list += (list.empty() ? "" : ",") + device->entry;
    used.insert(device);
  };
  for (const VisibleDevice* device : own) append(device);
  for (const VisibleDevice& device : visible.devices) {
    if (!device.mig && !used.contains(&device)) append(&device);
  }
  return list;
}

}  // namespace

std::vector<DeviceShare> share_devices(const VisibleGpus& visible,
                                       const std::vector<int>& planned) {
  const auto by_gpu = devices_by_gpu(visible);
  std::map<int, std::size_t> ranks_on_gpu;
  // The n-th rank on a whole GPU is in the n-th group of ranks with whole GPUs.
  std::map<std::size_t, int> round_group;
  std::vector<std::vector<const VisibleDevice*>> members;  // by group; empty for an instance
  std::vector<DeviceShare> shares;
  shares.reserve(planned.size());
  for (const int gpu : planned) {
    DeviceShare share;
    const std::size_t before = ranks_on_gpu[gpu]++;
    const auto found = by_gpu.find(gpu);
    const VisibleDevice* const device =
        found == by_gpu.end() ? nullptr : found->second[before % found->second.size()];
    if (device != nullptr && device->mig) {
      share.instance = share.devices = device->entry;
      share.group = static_cast<int>(members.size());
      members.emplace_back();
    } else {
      const auto [round, opened] =
          round_group.try_emplace(device != nullptr ? before : 0, static_cast<int>(members.size()));
      if (opened) members.emplace_back();
      share.group = round->second;
      auto& group = members[static_cast<std::size_t>(share.group)];
      share.local_rank = static_cast<int>(group.size());
      group.push_back(device);
    }
    shares.push_back(std::move(share));
  }
  std::vector<std::string> lists;
  for (auto& group : members) {
    std::erase(group, nullptr);
    lists.push_back(list_of(visible, group));
  }
  std::vector<int> size(members.size(), 0);
  for (const DeviceShare& share : shares) ++size[static_cast<std::size_t>(share.group)];
  for (DeviceShare& share : shares) {
    share.group_size = size[static_cast<std::size_t>(share.group)];
    if (share.instance.empty()) share.devices = lists[static_cast<std::size_t>(share.group)];
  }
  return shares;
}

std::string sharing_words(const Plan& plan) {
  std::map<std::pair<std::string, std::string>, int> ranks_on;
  std::size_t instances = 0, on_gpus = 0;
  int most = 0;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.gpu_index < 0) continue;
    ++on_gpus;
    if (!rank.gpu_instance.empty()) ++instances;
    const std::string device =
        rank.gpu_instance.empty() ? std::to_string(rank.gpu_index) : rank.gpu_instance;
    most = std::max(most, ++ranks_on[{rank.host, device}]);
  }
  std::string out;
  if (most > 1) {
    out = fmt::format(
        "{} ranks share {} {}, up to {} on one: LOCAL_RANK is the number of a rank's GPU, "
        "GROUP_RANK "
        "tells apart who shares it, and NCCL as a rule refuses two ranks on one GPU (gloo and MPI "
        "don't)",
        on_gpus, ranks_on.size(),
        instances > 0          ? "devices"
        : ranks_on.size() == 1 ? "GPU"
                               : "GPUs",
        most);
  }
  if (instances > 0) {
    out += fmt::format(
        "{}{} of {} ranks on MIG instances: CUDA shows each of them its own one alone, as cuda:0 "
        "with "
        "LOCAL_RANK 0 and a GROUP_RANK of its own; instances have no peer access to one another",
        out.empty() ? "" : "; ", instances, plan.ranks.size());
  }
  return out;
}

}  // namespace topolaunch::launcher
