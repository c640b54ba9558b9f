// SPDX-License-Identifier: Apache-2.0
//
// --parallel: from "tp=8,pp=4,dp=16" to process groups, with the rank order of Megatron-LM
// (megatron/core/parallel_state.py, class RankGenerator, core 0.14):
//   - the leftmost name of the order varies fastest; default "tp-cp-ep-dp-pp";
//   - two generators share the order: decoder (tp, cp, dp, pp; ep = 1) and expert (etp, ep, edp, pp;
//     cp = 1) with edp = world / (etp * ep * pp); their pipeline groups must be the same;
//   - a combined group ("dp-cp") lists its members with the fastest name first.
//
//   auto graph = graph_from_parallel("tp=2,pp=2,dp=2", "", "");
//   // 8 ranks; tp groups {0,1} {2,3} {4,5} {6,7}, dp {0,2} ..., pp {0,4} ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

inline constexpr std::string_view kDefaultOrder = "tp-cp-ep-dp-pp";

/// Sizes of the parallel dimensions; 1 = not used.
struct ParallelSizes {
  int tp = 1, cp = 1, ep = 1, dp = 1, pp = 1;
  int etp = 0;  ///< tensor parallel size of the experts; 0 = as tp
  int zero = -1;  ///< ZeRO stage, 3 = FSDP; 0 = gradients in one allreduce; -1 = distributed optimizer (as 1)
  int shard = 0;  ///< zero 3: ranks that share one copy (HSDP); 0 = all of dp x cp
  int seq = 0, mbs = 0, gbs = 0;  ///< tokens of a sequence, sequences of a micro-batch and of a step; 0 = the model's
  int size_of(std::string_view name) const;
};

/// The groups of `token` ("tp", "dp", or combined, "dp-cp") in the order of Megatron-LM's
/// RankGenerator.get_ranks. `order` must hold every name of the token.
std::vector<std::vector<int>> rank_groups(const ParallelSizes& sizes, std::string_view order,
                                          std::string_view token);

/// Groups and coordinates of `spec` ("tp=8,pp=4,dp=16"; names tp cp ep dp pp etp zero shard, and seq mbs gbs
/// for how it is trained: "seq=8192,mbs=1,gbs=1024"). Without dp it is
/// `ranks` / (tp * cp * pp) when `ranks` is given (0 = not). `order` empty = kDefaultOrder.
///
/// `bytes` ("tp=2GiB,dp=500MB") is the payload of the dimension's collective per rank and step, as
/// nccl-tests counts "size": tp, dp, edp an allreduce, ep an alltoall, cp a ring exchange, pp what a
/// stage sends to its neighbour, forward and backward together. A dimension that it does not name,
/// and all when it is empty, get the bytes of a stated model, GPT-3 175B (96 layers, hidden 12288,
/// sequence 2048, micro-batch 1, 24 micro-batches, bf16, sequence parallel, distributed optimizer)
/// cut by the sizes given; for experts top-8 routing of every layer.
///
/// zero=3 (FSDP) puts an all-gather and a reduce-scatter of each group ("fsdp") in place of dp's
/// allreduce; with shard=K (HSDP) groups of K, and an allreduce ("dp") between those. `bytes` of fsdp are
/// what is gathered; as much is reduced as the model's gradients are of its parameters.
///
/// Errors: wrong_usage, naming the word: unknown or repeated names, sizes < 1, more than 2^24 ranks,
/// an order that lacks a used dimension, sizes that do not divide, pipeline groups that differ.
Result<RankGraph> graph_from_parallel(const std::string& spec, const std::string& order,
                                      const std::string& bytes, int ranks = 0);
struct ModelShape;
/// With another model's bytes.
Result<RankGraph> graph_from_parallel(const std::string& spec, const std::string& order, const std::string& bytes,
                                      int ranks, const ModelShape& shape);

/// Coordinate of `rank` on `dimension`: (rank / stride) % size. For TOPOLAUNCH_TP_RANK and the like.
constexpr int coordinate(const Dimension& dimension, int rank) {
  return rank / dimension.stride % dimension.size;
}

}  // namespace topolaunch::mapping
