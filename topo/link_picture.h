// SPDX-License-Identifier: Apache-2.0
//
// What each source says of each GPU's NVLinks, before one of them is chosen (link_merge.cpp):
// counts where a source has bandwidths alone, switches where it shows the paths through them.
#pragma once

#include <vector>

#include "topo/gpu_merge.h"

namespace topolaunch::topo {

/// What one source says of the links of one GPU.
struct LinkPicture {
  Origin origin;
  std::vector<GpuLink> links;
  bool part = false;  ///< known from the other ends alone: there may be more

  /// Links between GPUs and to switches; C2C is something else.
  int active() const;
  int inactive() const;
  bool knows_ends() const;
};

/// The link of `links` that ends where `like` does; nullptr if none does.
GpuLink* same_end(std::vector<GpuLink>& links, const GpuLink& like);

/// By position in Host::gpus. A GpuLinkFact without end, number and bandwidth says that its GPU may
/// have links which its source doesn't see. Warns of links to nowhere and of more than a GPU can
/// have.
std::vector<std::vector<LinkPicture>> link_pictures(const std::vector<const Fact*>& facts,
                                                    const GpuIndex& index, const Host& host,
                                                    std::vector<Warning>& warnings);

}  // namespace topolaunch::topo
