// SPDX-License-Identifier: Apache-2.0
//
// k of n GPUs of a host: those that reach the most bandwidth together.
#pragma once

#include <vector>

#include "mapping/host_model.h"
#include "mapping/rank_graph.h"
#include "mapping/seats.h"

namespace topolaunch::mapping {

/// The best `k` of `gpus`: by bandwidth of an allreduce, then nearness. All subsets where there are at
/// most 20,000, else grown greedily from the best pair.
std::vector<int> best_gpus(const HostModel& model, const std::vector<int>& gpus, int k);

/// Seats of every host in the given order, as many as it takes ranks.
std::vector<std::vector<Seat>> seats_by_host(const SeatPool& pool, const topo::Topology& topology);
/// The same with the best GPUs where a host has more than it needs; `hosts` in the order of filling.
std::vector<std::vector<Seat>> best_seats_by_host(const SeatPool& pool, const topo::Topology& topology,
                                                  const RankGraph& graph, const std::vector<int>& hosts, int ranks);

}  // namespace topolaunch::mapping
