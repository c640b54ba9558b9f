// SPDX-License-Identifier: Apache-2.0
//
// The NVLink side of gpu_merge.h: one picture per GPU, and the checks that it is possible.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/counted.h"
#include "topo/claims.h"
#include "topo/cpu_merge.h"
#include "topo/gpu_merge.h"
#include "topo/gpu_model.h"
#include "topo/link_picture.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

/// Who told of the links that are used; nothing = nobody did.
struct Teller {
  std::optional<Origin> origin;
  bool part = false;  ///< the GPU may have more links
};

Teller choose(const Host& host, Gpu& gpu, const std::vector<LinkPicture>& pictures,
              std::vector<Warning>& warnings) {
  // Of two pictures that are trusted alike, the whole one, and the one that knows where links end.
  const auto rank = [](const LinkPicture& picture) {
    return std::tuple(trust_rank(Field::identity, picture.origin), picture.part,
                      !picture.knows_ends());
  };
  const LinkPicture* best = nullptr;
  for (const auto& picture : pictures) {
    if (best == nullptr || rank(picture) < rank(*best)) best = &picture;
  }
  if (best == nullptr) return {};
  gpu.links = best->links;
  for (const auto& picture : pictures) {
    if (&picture == best) continue;
    const bool whole = !picture.part && !best->part;
    if (whole && picture.active() != best->active()) {
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
  return {best->origin, best->part};
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
  void add(const Teller& teller) {
    of_gpu_.push_back(teller);
    if (teller.origin && !any_) any_ = teller.origin;
  }
  bool part(const Gpu& gpu) const { return of_gpu_[static_cast<std::size_t>(gpu.index)].part; }
  const Origin& of(const Gpu& gpu) const {
    const auto& own = of_gpu_[static_cast<std::size_t>(gpu.index)].origin;
    static const Origin unknown;
    return own ? *own : any_ ? *any_ : unknown;
  }

 private:
  std::vector<Teller> of_gpu_;
  std::optional<Origin> any_;
};

/// One GPU with fewer links than its equals slows every collective, and NCCL doesn't tell
/// (NVIDIA/nccl#1182).
void check_equals(const Host& host, const LinkOrigins& origins, std::vector<Warning>& warnings) {
  std::map<int, int> votes;
  int whole = 0;
  for (const auto& gpu : host.gpus) {
    if (origins.part(gpu)) continue;
    ++votes[active_links(gpu)];
    ++whole;
  }
  const auto most = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  if (whole < 3 || most->first == 0 || 2 * most->second <= whole) return;
  for (const auto& gpu : host.gpus) {
    const int count = active_links(gpu);
    if (count == most->first || origins.part(gpu)) continue;
    warn(warnings, "nvlink-odd-gpu", Warning::Severity::warning, origins.of(gpu),
         fmt::format("{} has {} active links, {} of its {} peers have {}", gpu_text(host, gpu),
                     count, most->second, whole - 1, most->first));
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
  const auto pictures = link_pictures(facts, index, host, warnings);
  LinkOrigins origins;
  for (auto& gpu : host.gpus) {
    origins.add(choose(host, gpu, pictures[static_cast<std::size_t>(gpu.index)], warnings));
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
