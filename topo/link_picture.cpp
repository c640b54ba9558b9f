// SPDX-License-Identifier: Apache-2.0
#include "topo/link_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/counted.h"
#include "topo/cpu_merge.h"
#include "topo/gpu_model.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

/// The most NVLinks that this GPU can have: by its name, else by its generation.
int most_links(const Gpu& gpu) {
  const auto model = gpu_model(gpu.model);
  return model && gpu.compute_capability == model->capability
             ? model->most_links
             : nvlink_most_links(gpu.compute_capability);
}

void add_link(LinkPicture& picture, const GpuLink& link) {
  if (GpuLink* present = same_end(picture.links, link)) {
    present->count = std::min(present->count + link.count, 1 << 20);
    present->inactive = std::min(present->inactive + link.inactive, 1 << 20);
    present->bandwidth = Bandwidth::bytes_per_second(present->bandwidth.bytes_per_second() +
                                                     link.bandwidth.bytes_per_second());
  } else {
    picture.links.push_back(link);
  }
}

/// A fact without a number or an end: the GPU may have links that the source doesn't see.
bool says_more(const GpuLinkFact& fact) {
  return fact.to == GpuLink::To::unknown && fact.count == 0 && fact.inactive == 0 &&
         !fact.bandwidth.known();
}

std::vector<std::vector<LinkPicture>> collect(const std::vector<const Fact*>& facts,
                                              const GpuIndex& index, const Host& host,
                                              std::vector<Warning>& warnings) {
  std::vector<std::vector<LinkPicture>> pictures(host.gpus.size());
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<GpuLinkFact>(&fact->what);
    if (said == nullptr) continue;
    const auto from = index.find(said->from, fact->origin);
    if (!from) continue;
    const Gpu& gpu = host.gpus[static_cast<std::size_t>(*from)];
    GpuLink link;
    link.to = said->to;
    link.type = said->type;
    link.count = std::clamp(said->count, 0, 1 << 20);
    link.inactive = std::clamp(said->inactive, 0, 1 << 20);
    link.bandwidth = said->bandwidth;
    if (link.to == GpuLink::To::gpu) {
      const auto peer = index.find(said->peer, fact->origin);
      link.peer = peer.value_or(-1);
      if (!peer || *peer == *from) {
        link.to = GpuLink::To::unknown;
        link.peer = -1;
        warn(warnings, peer ? "nvlink-to-itself" : "nvlink-unknown-target",
             Warning::Severity::warning, fact->origin,
             peer ? fmt::format("{} has {} to itself by {}; the other end is unknown",
                                gpu_text(host, gpu), counted(link.count, "link"),
                                fact->origin.text())
                  : fmt::format("{} has {} to {}, which is no GPU of this host",
                                gpu_text(host, gpu), counted(link.count, "link"),
                                said->peer.pci ? said->peer.pci->text() : said->peer.uuid));
      }
    }
    auto& of_gpu = pictures[static_cast<std::size_t>(*from)];
    auto at = std::find_if(of_gpu.begin(), of_gpu.end(), [&](const LinkPicture& p) {
      return p.origin.source == fact->origin.source && p.origin.file == fact->origin.file;
    });
    if (at == of_gpu.end()) at = of_gpu.insert(of_gpu.end(), LinkPicture{fact->origin, {}});
    if (says_more(*said)) {
      at->part = true;
    } else {
      add_link(*at, link);
    }
  }
  return pictures;
}

/// Counts from bandwidths where a source (hwloc) has bandwidths alone.
void fill_counts(const Gpu& gpu, LinkPicture& picture) {
  const auto per_link = nvlink_per_link(gpu.compute_capability);
  for (auto& link : picture.links) {
    if (link.count != 0 || link.inactive != 0 || !link.bandwidth.known()) continue;
    const double ratio =
        per_link.known() ? link.bandwidth.bytes_per_second() / per_link.bytes_per_second() : 1;
    link.count = std::max(1, static_cast<int>(std::lround(std::min(ratio, 1e6))));
  }
}

/// All links to GPUs are `count` links into switches.
void replace_by_switches(LinkPicture& picture, int count) {
  GpuLink into;
  into.to = GpuLink::To::nvswitch;
  into.count = count;
  std::vector<GpuLink> links{into};
  for (const auto& link : picture.links) {
    if (link.to == GpuLink::To::gpu && link.type == LinkType::nvlink) {
      links.front().bandwidth = std::max(links.front().bandwidth, link.bandwidth);
    } else {
      links.push_back(link);
    }
  }
  picture.links = std::move(links);
}

/// The same number of links to every other GPU that has any, more in all than a GPU has: they end
/// in switches, each link reaches every peer. (nvidia-smi and hwloc show NVSwitch machines so.)
void see_switches(const Host& host, const Gpu& gpu, int linked_gpus, LinkPicture& picture,
                  std::vector<Warning>& warnings) {
  const int most = most_links(gpu);
  if (picture.active() <= most) return;
  int peers = 0;
  int count = 0;
  bool even = true;
  for (const auto& link : picture.links) {
    if (link.to != GpuLink::To::gpu || link.type != LinkType::nvlink || link.count == 0) continue;
    even = even && (count == 0 || count == link.count);
    count = link.count;
    ++peers;
  }
  const bool all_peers = peers > 0 && peers + 1 >= linked_gpus;
  const bool switches = even && all_peers && count <= most;
  GpuLink* into_switch = nullptr;
  for (auto& link : picture.links) {
    if (link.to == GpuLink::To::nvswitch && link.count > most) into_switch = &link;
  }
  if (picture.origin.source.starts_with("nccl") || !switches) {
    if (most > 0 || gpu.compute_capability > 0) {
      warn(warnings, "nvlink-impossible-count", Warning::Severity::warning, picture.origin,
           fmt::format("{} has {} NVLinks by {}, at most {} are possible{}", gpu_text(host, gpu),
                       picture.active(), picture.origin.text(), most,
                       switches                 ? fmt::format("; read as {} into switches", count)
                       : into_switch != nullptr ? fmt::format("; read as {}", most)
                                                : std::string()));
    }
  }
  if (into_switch != nullptr) {
    into_switch->count = most;
    into_switch->bandwidth = Bandwidth();
  }
  if (!switches) return;
  replace_by_switches(picture, count);
}

bool into_switches(const LinkPicture& picture) {
  return std::ranges::any_of(picture.links,
                             [](const GpuLink& link) { return link.to == GpuLink::To::nvswitch; });
}

/// A GPU that only others tell of, which by the same source are on switches: so is it.
void follow_others(const std::vector<std::vector<LinkPicture>>& all, LinkPicture& picture) {
  int count = 0;
  for (const auto& link : picture.links) {
    if (link.to != GpuLink::To::gpu || link.type != LinkType::nvlink) continue;
    const auto& peer = all[static_cast<std::size_t>(link.peer)];
    const bool switched = std::ranges::any_of(peer, [&](const LinkPicture& other) {
      return other.origin.source == picture.origin.source &&
             other.origin.file == picture.origin.file && into_switches(other);
    });
    if (!switched) return;
    count = std::max(count, link.count);
  }
  if (count > 0) replace_by_switches(picture, count);
}

}  // namespace

GpuLink* same_end(std::vector<GpuLink>& links, const GpuLink& like) {
  for (auto& link : links) {
    if (link.to == like.to && link.peer == like.peer && link.type == like.type) return &link;
  }
  return nullptr;
}

int LinkPicture::active() const {
  return std::accumulate(links.begin(), links.end(), 0, [](int sum, const GpuLink& link) {
    return link.type == LinkType::c2c ? sum : sum + link.count;
  });
}

int LinkPicture::inactive() const {
  return std::accumulate(links.begin(), links.end(), 0,
                         [](int sum, const GpuLink& link) { return sum + link.inactive; });
}

bool LinkPicture::knows_ends() const {
  return std::any_of(links.begin(), links.end(), [](const GpuLink& link) {
    return link.count > 0 && link.to != GpuLink::To::unknown;
  });
}

std::vector<std::vector<LinkPicture>> link_pictures(const std::vector<const Fact*>& facts,
                                                    const GpuIndex& index, const Host& host,
                                                    std::vector<Warning>& warnings) {
  auto pictures = collect(facts, index, host, warnings);
  const auto linked = std::count_if(pictures.begin(), pictures.end(), [](const auto& of_gpu) {
    return std::any_of(of_gpu.begin(), of_gpu.end(), [](const LinkPicture& picture) {
      return picture.knows_ends() || picture.active() > 0;
    });
  });
  for (const auto& gpu : host.gpus) {
    for (auto& picture : pictures[static_cast<std::size_t>(gpu.index)]) {
      fill_counts(gpu, picture);
      if (!picture.part) see_switches(host, gpu, static_cast<int>(linked), picture, warnings);
    }
  }
  for (auto& of_gpu : pictures) {
    for (auto& picture : of_gpu) {
      if (picture.part) follow_others(pictures, picture);
    }
  }
  return pictures;
}

}  // namespace topolaunch::topo
