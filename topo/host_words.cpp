// SPDX-License-Identifier: Apache-2.0
#include "topo/host_words.h"

#include <fmt/format.h>

#include <map>

#include "base/counted.h"

namespace topolaunch::topo {

std::string bits_text(Bandwidth rate) {
  const double gigabits = rate.gigabytes_per_second() * 8;
  if (gigabits >= 10'000) return fmt::format("{:.4g} Tb/s", gigabits / 1000);
  if (gigabits >= 1) return fmt::format("{:.4g} Gb/s", gigabits);
  return fmt::format("{:.4g} Mb/s", gigabits * 1000);
}

std::string gpu_numbers(const std::vector<int>& gpus) {
  CpuSet set;
  for (const int gpu : gpus) set.add(gpu);
  return "gpu" + set.to_list();
}

std::string short_model(const Gpu& gpu) {
  std::string_view model = gpu.model;
  if (model.starts_with("NVIDIA ")) model.remove_prefix(7);
  if (!model.empty()) return std::string(model);
  if (gpu.compute_capability > 0) {
    return fmt::format("sm_{}", gpu.compute_capability);
  }
  return "(model unknown)";
}

std::string layer_text(const Nic& nic) {
  if (!nic.up) return "DOWN";
  switch (nic.layer) {
    case Nic::Layer::infiniband:
      return "InfiniBand";
    case Nic::Layer::ethernet:
      return nic.rdma ? "RoCE" : "Ethernet";
    case Nic::Layer::efa:
      return "EFA";
    case Nic::Layer::unknown:
      break;
  }
  return nic.rdma ? "RDMA" : "";
}

std::string cpu_text(const CpuSet& set) {
  const auto cpus = set.to_vector();
  if (cpus.size() < 4) return set.to_list();
  const int step = cpus[1] - cpus[0];
  for (std::size_t i = 2; i < cpus.size(); ++i) {
    if (cpus[i] - cpus[i - 1] != step) return set.to_list();
  }
  return step == 1 ? set.to_list() : fmt::format("{}-{}:{}", cpus.front(), cpus.back(), step);
}

std::string mig_text(const Gpu& gpu) {
  std::map<std::string, int> profiles;
  for (const auto& instance : gpu.mig) ++profiles[instance.profile];
  std::string text;
  for (const auto& [profile, count] : profiles) {
    text +=
        fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, profile.empty() ? "?" : profile);
  }
  return text.empty() ? "on, no instance" : text;
}

Nearest nearest_gpus(const Host& host, const Nic& nic) {
  Nearest best;
  for (const Gpu& gpu : host.gpus) {
    const PciRelation relation = host.relation(gpu, nic);
    if (relation < best.relation) {
      best.relation = relation;
      best.gpus.clear();
    }
    if (relation == best.relation) best.gpus.push_back(gpu.index);
  }
  return best;
}

const GpuLink* link_to(const Gpu& gpu, GpuLink::To to, int peer) {
  for (const auto& link : gpu.links) {
    if (link.to == to && link.peer == peer && link.count > 0) return &link;
  }
  return nullptr;
}

GpuPair pair_of(const Gpu& a, const Gpu& b) {
  const auto* direct = link_to(a, GpuLink::To::gpu, b.index);
  if (direct == nullptr) direct = link_to(b, GpuLink::To::gpu, a.index);
  if (direct != nullptr) return {direct->count, direct->type, direct->bandwidth, false};
  const auto* up = link_to(a, GpuLink::To::nvswitch);
  const auto* down = link_to(b, GpuLink::To::nvswitch);
  if (up == nullptr || down == nullptr) return {};
  const auto* narrow = up->count <= down->count ? up : down;
  return {narrow->count, narrow->type, narrow->bandwidth, true};
}

std::vector<std::string> link_notes(const Host& host) {
  std::map<std::string, std::vector<int>> notes;
  for (const Gpu& gpu : host.gpus) {
    for (const auto& link : gpu.links) {
      if (link.type == LinkType::c2c && link.count > 0) {
        notes[link.bandwidth.known()
                  ? fmt::format("NVLink-C2C to the CPU, {}", to_text(link.bandwidth))
                  : std::string("NVLink-C2C to the CPU")]
            .push_back(gpu.index);
      }
      if (link.to == GpuLink::To::unknown && link.count > 0) {
        notes[counted(link.count, "link") + " whose other end is unknown"].push_back(gpu.index);
      }
      if (link.inactive > 0) {
        notes[counted(link.inactive, "link") + " DOWN"].push_back(gpu.index);
      }
    }
    if (gpu.fabric_pending) notes["NVLink domain not known yet"].push_back(gpu.index);
    if (!gpu.fabric_cluster.empty()) {
      notes[fmt::format("NVLink domain {} clique {}", gpu.fabric_cluster, gpu.fabric_clique)]
          .push_back(gpu.index);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [note, gpus] : notes) lines.push_back(gpu_numbers(gpus) + ": " + note);
  return lines;
}

}  // namespace topolaunch::topo
