// SPDX-License-Identifier: Apache-2.0
#include "launcher/rank_environment.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace topolaunch::launcher {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::map<std::string, std::string> rank_environment(const RankPlan& rank,
                                                    const RankSurroundings& around,
                                                    const Environment& given) {
  std::map<std::string, std::string> out;
  const auto set = [&](const std::string& name, const std::string& value) { out[name] = value; };
  const auto number = [&](const std::string& name, int value) { set(name, std::to_string(value)); };

  // torchrun's (torch.distributed.run, PyTorch 2.x, "Environment Variables").
  number("RANK", rank.rank);
  number("LOCAL_RANK", rank.local_rank);
  number("WORLD_SIZE", around.world_size);
  number("LOCAL_WORLD_SIZE", around.local_world_size);
  number("GROUP_RANK", rank.group_rank);
  number("GROUP_WORLD_SIZE", around.group_world_size);
  set("ROLE_NAME", "default");
  number("ROLE_RANK", rank.rank);
  number("ROLE_WORLD_SIZE", around.world_size);
  if (!around.master_address.empty()) set("MASTER_ADDR", around.master_address);
  if (around.master_port > 0) number("MASTER_PORT", around.master_port);
  number("TORCHELASTIC_RESTART_COUNT", 0);
  number("TORCHELASTIC_MAX_RESTARTS", 0);
  set("TORCHELASTIC_RUN_ID", around.run_id);
  // No agent serves the store here: rank 0 must open it itself, which torch does unless "True".
  set("TORCHELASTIC_USE_AGENT_STORE", "False");
  if (!given.has("TORCH_NCCL_ASYNC_ERROR_HANDLING")) set("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
  number("NODE_RANK", rank.group_rank);

  // torchrun sets 1 because its ranks are not bound and would all start a thread per CPU. Ours are
  // bound, each to CPUs of its own: one thread per core of the share is right.
  if (around.threads > 0 && !given.has("OMP_NUM_THREADS")) {
    number("OMP_NUM_THREADS", around.threads);
  }
  if (around.has_devices) {
    set("CUDA_VISIBLE_DEVICES", around.visible_devices);
    if (around.pci_order) set("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  }

  set("TOPOLAUNCH_RUN_ID", around.run_id);
  set("TOPOLAUNCH_HOST", rank.host);
  if (rank.gpu_index >= 0) {
    number("TOPOLAUNCH_GPU_INDEX", rank.gpu_index);
    if (!rank.gpu_pci.empty()) set("TOPOLAUNCH_GPU", rank.gpu_pci);
    if (!rank.gpu_uuid.empty()) set("TOPOLAUNCH_GPU_UUID", rank.gpu_uuid);
    if (!rank.gpu_instance.empty()) set("TOPOLAUNCH_GPU_INSTANCE", rank.gpu_instance);
  }
  if (rank.numa) number("TOPOLAUNCH_NUMA", *rank.numa);
  if (!rank.cpus.empty()) set("TOPOLAUNCH_CPUS", rank.cpus.to_list());
  if (!rank.nics.empty()) set("TOPOLAUNCH_NICS", joined(rank.nics));
  if (!around.leaf.empty()) set("TOPOLAUNCH_LEAF", around.leaf);
  for (const auto& [name, value] : around.coordinates) {
    number("TOPOLAUNCH_" + upper(name), value);
  }
  return out;
}

std::vector<std::string> replaced_variables(const std::map<std::string, std::string>& environment,
                                            const Environment& given) {
  std::vector<std::string> out;
  for (const auto& [name, value] : environment) {
    const auto before = given.get(name);
    if (!before || *before == value || name.starts_with("TOPOLAUNCH_")) continue;
    out.push_back(name + "=" + *before);
  }
  return out;
}

std::vector<std::string> withheld_variables(const Environment& given) {
  // What a rank of an outer topolaunch was told about its own place.
  constexpr std::array<std::string_view, 10> place{
      "TOPOLAUNCH_RUN_ID",   "TOPOLAUNCH_HOST",        "TOPOLAUNCH_GPU",  "TOPOLAUNCH_GPU_INDEX",
      "TOPOLAUNCH_GPU_UUID", "TOPOLAUNCH_NUMA",        "TOPOLAUNCH_CPUS", "TOPOLAUNCH_NICS",
      "TOPOLAUNCH_LEAF",     "TOPOLAUNCH_GPU_INSTANCE"};
  std::vector<std::string> out;
  for (const auto& [name, value] : given.variables()) {
    const bool secret = name.starts_with("TOPOLAUNCH_QUOTA") || name == "TOPOLAUNCH_LEDGER";
    const bool stale = std::ranges::find(place, name) != place.end() ||
                       (name.starts_with("TOPOLAUNCH_") &&
                        (name.ends_with("_RANK") || name.ends_with("_SIZE")));
    if (secret || stale) out.push_back(name);
  }
  return out;
}

}  // namespace topolaunch::launcher
