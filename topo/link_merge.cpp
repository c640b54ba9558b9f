// SPDX-License-Identifier: Apache-2.0
//
// The NVLink side of gpu_merge.h: one picture per GPU, and the checks that it is possible.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/counted.h"
#include "topo/claims.h"
#include "topo/cpu_merge.h"
#include "topo/gpu_merge.h"
#include "topo/gpu_model.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

/// What one source says of the links of one GPU.
struct Picture {
  Origin origin;
  std::vector<GpuLink> links;

  /// Links between GPUs and to switches; C2C is something else.
  int active() const {
    return std::accumulate(links.begin(), links.end(), 0, [](int sum, const GpuLink& link) {
      return link.type == LinkType::c2c ? sum : sum + link.count;
    });
  }
  int inactive() const {
    return std::accumulate(links.begin(), links.end(), 0,
                           [](int sum, const GpuLink& link) { return sum + link.inactive; });
  }
  bool knows_ends() const {
    return std::any_of(links.begin(), links.end(), [](const GpuLink& link) {
      return link.count > 0 && link.to != GpuLink::To::unknown;
    });
  }
};

/// The most NVLinks that this GPU can have: by its name, else by its generation.
int most_links(const Gpu& gpu) {
  const auto model = gpu_model(gpu.model);
  return model && gpu.compute_capability == model->capability
             ? model->most_links
             : nvlink_most_links(gpu.compute_capability);
}

GpuLink* same_end(std::vector<GpuLink>& links, const GpuLink& like) {
  for (auto& link : links) {
    if (link.to == like.to && link.peer == like.peer && link.type == like.type) return &link;
  }
  return nullptr;
}

void add_link(Picture& picture, const GpuLink& link) {
  if (GpuLink* present = same_end(picture.links, link)) {
    present->count = std::min(present->count + link.count, 1 << 20);
    present->inactive = std::min(present->inactive + link.inactive, 1 << 20);
    present->bandwidth =
        Bandwidth::bytes_per_second(present->bandwidth.bytes_per_second() +
                                    link.bandwidth.bytes_per_second());
  } else {
    picture.links.push_back(link);
  }
}

std::vector<std::vector<Picture>> collect(const std::vector<const Fact*>& facts,
                                          const GpuIndex& index, const Host& host,
                                          std::vector<Warning>& warnings) {
  std::vector<std::vector<Picture>> pictures(host.gpus.size());
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
    auto at = std::find_if(of_gpu.begin(), of_gpu.end(), [&](const Picture& p) {
      return p.origin.source == fact->origin.source && p.origin.file == fact->origin.file;
    });
    if (at == of_gpu.end()) at = of_gpu.insert(of_gpu.end(), Picture{fact->origin, {}});
    add_link(*at, link);
  }
  return pictures;
}

/// Counts from bandwidths where a source (hwloc) has bandwidths alone.
void fill_counts(const Gpu& gpu, Picture& picture) {
  const auto per_link = nvlink_per_link(gpu.compute_capability);
  for (auto& link : picture.links) {
    if (link.count != 0 || link.inactive != 0 || !link.bandwidth.known()) continue;
    const double ratio = per_link.known() ? link.bandwidth.bytes_per_second() /
                                                per_link.bytes_per_second()
                                          : 1;
    link.count = std::max(1, static_cast<int>(std::lround(std::min(ratio, 1e6))));
  }
}

/// The same number of links to every other GPU that has any, more in all than a GPU has: they end in
/// switches, each link reaches every peer. (nvidia-smi and hwloc show NVSwitch machines so.)
void see_switches(const Host& host, const Gpu& gpu, int linked_gpus, Picture& picture,
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

/// Who told of the links that are used; nothing = nobody did.
std::optional<Origin> choose(const Host& host, Gpu& gpu, int linked_gpus,
                             std::vector<Picture>& pictures, std::vector<Warning>& warnings) {
  // Of two pictures that are trusted alike, the one that knows where the links end.
  const auto rank = [](const Picture& picture) {
    return std::pair(trust_rank(Field::identity, picture.origin), !picture.knows_ends());
  };
  const Picture* best = nullptr;
  for (auto& picture : pictures) {
    fill_counts(gpu, picture);
    see_switches(host, gpu, linked_gpus, picture, warnings);
    if (best == nullptr || rank(picture) < rank(*best)) best = &picture;
  }
  if (best == nullptr) return {};
  gpu.links = best->links;
  for (const auto& picture : pictures) {
    if (&picture == best) continue;
    if (picture.active() != best->active()) {
      warn(warnings, "nvlink-conflict", Warning::Severity::warning, picture.origin,
           fmt::format("{} has {} by {}, {} by {}; the first is used", gpu_text(host, gpu),
                       counted(best->active(), "link"), best->origin.text(), picture.active(),
                       picture.origin.text()));
    }
    for (const auto& link : picture.links) {
      GpuLink* mine = same_end(gpu.links, link);
      if (mine != nullptr && !mine->bandwidth.known()) mine->bandwidth = link.bandwidth;
    }
    if (best->inactive() == 0 && picture.inactive() > 0) {
      GpuLink down;
      down.inactive = picture.inactive();
      gpu.links.push_back(down);
    }
  }
  const auto per_link = nvlink_per_link(gpu.compute_capability);
  for (auto& link : gpu.links) {
    if (!link.bandwidth.known() && link.type == LinkType::nvlink && per_link.known()) {
      link.bandwidth = per_link * link.count;
    }
    if (!link.bandwidth.known() && link.type == LinkType::c2c) link.bandwidth = nvlink_c2c();
  }
  std::stable_sort(gpu.links.begin(), gpu.links.end(), [](const GpuLink& a, const GpuLink& b) {
    return std::tie(a.to, a.peer) < std::tie(b.to, b.peer);
  });
  return best->origin;
}

int active_links(const Gpu& gpu) {
  int count = 0;
  for (const auto& link : gpu.links) {
    if (link.type != LinkType::c2c) count += link.count;
  }
  return count;
}

/// By GPU: who told of its links. Of a GPU without links, who told of the others'.
class LinkOrigins {
 public:
  void add(const std::optional<Origin>& origin) {
    of_gpu_.push_back(origin);
    if (origin && !any_) any_ = origin;
  }
  const Origin& of(const Gpu& gpu) const {
    const auto& own = of_gpu_[static_cast<std::size_t>(gpu.index)];
    static const Origin unknown;
    return own ? *own : any_ ? *any_ : unknown;
  }

 private:
  std::vector<std::optional<Origin>> of_gpu_;
  std::optional<Origin> any_;
};

/// One GPU with fewer links than its equals slows every collective, and NCCL doesn't tell
/// (NVIDIA/nccl#1182).
void check_equals(const Host& host, const LinkOrigins& origins, std::vector<Warning>& warnings) {
  std::map<int, int> votes;
  for (const auto& gpu : host.gpus) ++votes[active_links(gpu)];
  const auto most = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  if (host.gpus.size() < 3 || most->first == 0) return;
  if (2 * most->second <= static_cast<int>(host.gpus.size())) return;
  for (const auto& gpu : host.gpus) {
    const int count = active_links(gpu);
    if (count == most->first) continue;
    warn(warnings, "nvlink-odd-gpu", Warning::Severity::warning, origins.of(gpu),
         fmt::format("{} has {} active links, {} of its {} peers have {}", gpu_text(host, gpu),
                     count, most->second, host.gpus.size() - 1, most->first));
  }
}

void check_ends(const Host& host, const LinkOrigins& origins, std::vector<Warning>& warnings) {
  for (const auto& gpu : host.gpus) {
    int down = 0;
    for (const auto& link : gpu.links) down += link.inactive;
    if (down > 0) {
      warn(warnings, "nvlink-inactive", Warning::Severity::warning, origins.of(gpu),
           fmt::format("{} has {} that {} down", gpu_text(host, gpu), counted(down, "link"),
                       down == 1 ? "is" : "are"));
    }
    for (const auto& link : gpu.links) {
      if (link.to != GpuLink::To::gpu) continue;
      const Gpu& peer = host.gpus[static_cast<std::size_t>(link.peer)];
      int back = 0;
      for (const auto& other : peer.links) {
        if (other.to == GpuLink::To::gpu && other.peer == gpu.index) back += other.count;
      }
      // Said once a pair: by the GPU with more links, or the first of two.
      if (back < link.count) {
        warn(warnings, "nvlink-asymmetric", Warning::Severity::warning, origins.of(gpu),
             fmt::format("{} has {} to gpu{}, which has {} back", gpu_text(host, gpu),
                         counted(link.count, "link"), peer.index, back));
      }
    }
  }
}

}  // namespace

void merge_links(const std::vector<const Fact*>& facts, const GpuIndex& index, Host& host,
                 std::vector<Warning>& warnings) {
  if (host.gpus.empty()) return;
  auto pictures = collect(facts, index, host, warnings);
  const auto linked = std::count_if(pictures.begin(), pictures.end(), [](const auto& of_gpu) {
    return std::any_of(of_gpu.begin(), of_gpu.end(), [](const Picture& picture) {
      return picture.knows_ends() || picture.active() > 0;
    });
  });
  LinkOrigins origins;
  for (auto& gpu : host.gpus) {
    origins.add(choose(host, gpu, static_cast<int>(linked),
                       pictures[static_cast<std::size_t>(gpu.index)], warnings));
  }
  check_equals(host, origins, warnings);
  check_ends(host, origins, warnings);
  for (const Fact* fact : facts) {
    const auto* said = std::get_if<P2pFact>(&fact->what);
    if (said == nullptr) continue;
    const auto a = index.find(said->a, fact->origin);
    const auto b = index.find(said->b, fact->origin);
    if (!a || !b || *a == *b) continue;
    if (host.p2p.empty()) {
      host.p2p.assign(host.gpus.size(),
                      std::vector<P2pStatus>(host.gpus.size(), P2pStatus::unknown));
    }
    host.p2p[static_cast<std::size_t>(*a)][static_cast<std::size_t>(*b)] = said->status;
  }
  // A source may give each pair once.
  for (std::size_t a = 0; a < host.p2p.size(); ++a) {
    for (std::size_t b = 0; b < host.p2p.size(); ++b) {
      if (host.p2p[a][b] == P2pStatus::unknown) host.p2p[a][b] = host.p2p[b][a];
    }
  }
}

}  // namespace topolaunch::topo
