// SPDX-License-Identifier: Apache-2.0
#include "topo/gpu_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/counted.h"
#include "topo/cpu_merge.h"
#include "topo/link_speed.h"
#include "topo/synthetic.h"

namespace topolaunch::topo {
namespace {

constexpr int kMost = 1024;

/// "NVIDIA-H100-80GB-HBM3", "h100", "nvidia-h100-mega-80gb": the longest word of our models in it.
const ServerModel* model_of(const std::string& said) {
  std::string text;
  for (const char c : said) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    text += letter ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : ' ';
  }
  text = " " + text + " ";
  const ServerModel* found = nullptr;
  for (const auto& model : gpu_models()) {
    if (text.find(fmt::format(" {} ", model.word)) == std::string::npos) continue;
    if (found == nullptr || model.word.size() > found->word.size()) found = &model;
  }
  return found;
}

}  // namespace

std::vector<Fact> counted_gpus(const std::string& host, const std::vector<const Fact*>& facts,
                               std::vector<Warning>& warnings) {
  const Fact* count = nullptr;
  const Fact* first_gpu = nullptr;
  for (const Fact* fact : facts) {
    if (count == nullptr && std::holds_alternative<GpuCountFact>(fact->what)) count = fact;
    if (first_gpu == nullptr && std::holds_alternative<GpuFact>(fact->what)) first_gpu = fact;
  }
  if (count == nullptr) return {};
  const auto& said = std::get<GpuCountFact>(count->what);
  if (first_gpu != nullptr) {
    // Of one source: others may number the same GPUs otherwise.
    const auto seen = std::count_if(facts.begin(), facts.end(), [first_gpu](const Fact* fact) {
      return std::holds_alternative<GpuFact>(fact->what) &&
             fact->origin.source == first_gpu->origin.source;
    });
    if (seen != said.count) {
      warn(warnings, "gpu-count-differs", Warning::Severity::warning, count->origin,
           fmt::format("{} has {} by {}, {} by {}; those that are seen are used", host,
                       counted(said.count, "GPU"), count->origin.text(), seen,
                       first_gpu->origin.text()));
    }
    return {};
  }
  const ServerModel* model = model_of(said.model);
  std::vector<Fact> gpus;
  for (int i = 0; i < std::min(said.count, kMost); ++i) {
    GpuFact gpu;
    gpu.index = i;
    gpu.model = model == nullptr ? said.model : std::string(model->product);
    if (model != nullptr) {
      gpu.compute_capability = model->capability;
      gpu.memory = Bytes::mib(model->memory_mib);
    }
    gpus.push_back({count->origin, host, std::move(gpu)});
    // Fewer GPUs than the usual server has (a slice of it) still end in the same switches.
    if (model == nullptr || model->links != ServerModel::Links::nvswitch) continue;
    GpuLinkFact link;
    link.from.index = i;
    link.to = GpuLink::To::nvswitch;
    link.count = nvlink_most_links(model->capability);
    link.bandwidth = nvlink_per_link(model->capability) * link.count;
    gpus.push_back({count->origin, host, link});
  }
  return gpus;
}

}  // namespace topolaunch::topo
