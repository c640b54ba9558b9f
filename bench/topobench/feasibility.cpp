// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "bench/subject/mpi_host.h"
#include "bench/subject/nccl.h"

namespace topolaunch::bench {
namespace {

bool exchanged(const PairOptions& pairs) {
  return pairs.one_way || pairs.both_ways || pairs.concurrent || pairs.latency;
}

/// Over `ranks`, 1 where their number isn't known yet: then only what no number of them can do.
Status host_memory_can(MpiWay way, const Options& options, int ranks) {
  const auto element = static_cast<std::int64_t>(element_bytes(options.trial.type));
  const std::int64_t size = options.expect_ranks ? options.trial.sizes.back() : element;
  const Layout largest = layout_of(options.trial.collective, size, element, ranks);
  if (Status can = can_do(way, options.trial.collective, largest.count, ranks); !can) return can;
  if (options.pairs && exchanged(*options.pairs) && !does(way, Collective::sendrecv)) {
    return fail(Code::wrong_usage,
                fmt::format("--pairs: --subject {} does no sendrecv, by which pairs are measured",
                            name_of(way)),
                "--subject mpi, or --pairs local");
  }
  if (options.graph) {
    return fail(Code::wrong_usage,
                fmt::format("--subject {}: host memory has no CUDA graphs (-G 1)", name_of(way)),
                "leave it out, or --subject nccl");
  }
  return {};
}

Status root_fits(int root, int ranks, const std::string& whose) {
  if (root < ranks) return {};
  return fail(Code::wrong_usage, fmt::format("--root {}: {}", root, whose),
              ranks == 1 ? "--root 0" : fmt::format("--root 0 to {}", ranks - 1));
}

}  // namespace

Status can_do(const Options& options) {
  const int ranks = options.expect_ranks.value_or(1);
  if (const auto way = mpi_way_named(options.subject)) {
    if (Status can = host_memory_can(*way, options, ranks); !can) return can;
  }
  if (options.subject == "nccl") {
    if (Status built = nccl_is_built_in(); !built) return built;
  }
  if (!options.expect_ranks) return {};
  Options told = options;
  std::erase_if(told.groups, [](const GroupAxis& axis) { return axis.size == 0; });
  auto groups = groups_of(told, std::vector<RankFacts>(static_cast<std::size_t>(ranks)));
  return groups ? Status{} : Status(fail(std::move(groups).error()));
}

Status knows_its_place(const Options& options, const Environment& environment) {
  const RankFacts mine{"", 0, environment.get_or("TOPOLAUNCH_LEAF", ""),
                       coordinates_from(environment)};
  std::vector<GroupAxis> told;
  std::ranges::copy_if(options.groups, std::back_inserter(told),
                       [](const GroupAxis& axis) { return axis.size == 0; });
  auto groups = groupings(told, {mine});
  return groups ? Status{} : Status(fail(std::move(groups).error()));
}

Result<std::vector<Grouping>> groups_of(const Options& options,
                                        const std::vector<RankFacts>& ranks) {
  const int root = options.trial.root, all = static_cast<int>(ranks.size());
  if (Status fits = root_fits(root, all, "there are " + counted(all, "rank")); !fits) {
    return fail(std::move(fits).error());
  }
  auto groups = groupings(options.groups, ranks);
  if (!groups) return groups;
  for (const Grouping& one : *groups) {
    const int size = smallest_group(one);
    const std::string whose =
        fmt::format("a group along {} has {}", one.axis, counted(size, "rank"));
    if (Status fits = root_fits(root, size, whose); !fits) return fail(std::move(fits).error());
  }
  return groups;
}

}  // namespace topolaunch::bench
