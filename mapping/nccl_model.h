// SPDX-License-Identifier: Apache-2.0
//
// Which algorithm and protocol NCCL picks for a collective, and what its model says that takes.
//   time = latency + bytes / algorithm bandwidth, the smallest over algorithms and protocols.
// Not modelled: CollNet/SHARP, multi-node NVLink domains' own kernels, PAT, symmetric kernels, tuner
// plugins, the tree's per-size corrections.
#pragma once

#include <string>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

/// What a communicator looks like to the model. Bandwidths in GB/s, the smallest over its hosts.
struct Communicator {
  int ranks = 0;
  int hosts = 1;
  int compute_capability = 80;
  double ring = 0, tree = 0;   ///< inside a host, all channels; 0 = every host has one rank
  int channels = 1, tree_channels = 1;  ///< inside a host
  double link_speed = 0;       ///< largest channel that single NVLinks carry; 0 = any
  bool nvlink = false;         ///< NVLink inside
  double nvls = 0;             ///< NVSwitch multicast, efficiency included; 0 = none
  double net = 0;              ///< one host to the next, all its NICs for this group
  int net_channels = 1;
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

enum class Algorithm { none, ring, tree, nvls, nvls_tree };

struct Prediction {
  Algorithm algorithm = Algorithm::none;
  std::string protocol;     ///< "LL", "LL128", "Simple"
  double latency = 0;       ///< seconds
  double seconds = 0;       ///< latency included
  double busbw = 0;         ///< GB/s at this size, as nccl-tests computes it
};

/// allreduce, allgather, reduce_scatter, broadcast. `bytes` is nccl-tests' size.
Prediction predict(const Communicator& communicator, Collective collective, double bytes);

const char* name_of(Algorithm algorithm);

/// Bytes over one edge of a ring of n.
double ring_bytes(Collective collective, double bytes, double n);
/// Parent of i in a binary tree over 0..n-1 whose leaves are the odd numbers; -1 for the root.
int tree_parent(int i, int n);
/// The same in NCCL's second tree (trees.cc ncclGetDtree): mirrored for even n, shifted by one for odd.
int second_tree_parent(int i, int n);

}  // namespace topolaunch::mapping
