// SPDX-License-Identifier: Apache-2.0
#include "mapping/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/counted.h"
#include "base/lower_case.h"
#include "mapping/index.h"
#include "mapping/model_shape.h"
#include "mapping/named_values.h"

namespace topolaunch::mapping {
namespace {

constexpr std::int64_t kMaxRanks = std::int64_t{1} << 24;
constexpr std::array<std::string_view, 11> kNames = {"tp", "cp", "ep", "dp", "pp", "etp", "zero", "shard", "seq", "mbs", "gbs"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

struct Axis {
  std::string_view name;
  int size, stride;
};

/// The order's dimensions with strides; leftmost fastest.
std::vector<Axis> axes_of(const ParallelSizes& sizes, std::string_view order) {
  std::vector<Axis> axes;
  int stride = 1;
  for (const auto name : split(order, '-')) {
    const int size = sizes.size_of(name);
    axes.push_back({name, size, stride});
    stride *= size;
  }
  return axes;
}

/// What to write for what the field calls by another name; empty for a name nobody uses.
std::string meant_dimension(std::string_view name) {
  const auto among = [&](std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (among({"fsdp", "fsdp2", "sdp"})) return "fully sharded data parallel is dp=N,zero=3";
  if (among({"hsdp"})) return "hybrid sharding in groups of K is dp=N,zero=3,shard=K";
  if (among({"seq_length", "sequence_length", "seqlen", "s"})) return "the length of a sequence is seq=N";
  if (among({"micro_batch", "micro_batch_size", "micro"})) return "sequences of a micro-batch are mbs=N";
  if (among({"global_batch", "global_batch_size", "batch"})) return "sequences of a step are gbs=N";
  if (among({"sp", "sequence"})) return "sequence parallel shares the ranks of tp: leave it out";
  if (among({"vpp", "vp", "virtual"})) return "virtual stages are no ranks of their own: leave it out, or virtual_stages of --model";
  if (among({"tensor", "mp"})) return "tensor parallel is tp=N";
  if (among({"pipeline", "pipe"})) return "pipeline parallel is pp=N";
  if (among({"data", "ddp", "replica", "dp_replicate"})) return "data parallel is dp=N";
  if (among({"context", "cp_size", "ulysses"})) return "context parallel is cp=N";
  if (among({"expert", "moe"})) return "expert parallel is ep=N";
  return {};
}

struct Given {
  ParallelSizes sizes;
  bool has_dp = false;
};

Result<Given> parse_sizes(const std::string& spec) {
  Given given;
  const auto pairs = named_values(spec, "--parallel");
  if (!pairs) return fail(pairs.error());
  for (const auto& [name, value] : *pairs) {
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      const auto meant = meant_dimension(name);
      return fail(Code::wrong_usage, fmt::format("--parallel '{}': no dimension '{}'", spec, name),
                  meant.empty() ? fmt::format("known: {}", fmt::join(kNames, " ")) : meant);
    }
    int size = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    const bool whole = error == std::errc{} && end == value.data() + value.size();
    if (name == "zero") {
      if (!whole || size < 0 || size > 3)
        return fail(Code::wrong_usage, fmt::format("--parallel '{}': zero={} is not a stage from 0 to 3", spec, value));
      given.sizes.zero = size;
      continue;
    }
    if (!whole || size < 1 || size > kMaxRanks)
      return fail(Code::wrong_usage,
                  fmt::format("--parallel '{}': {}={} is not a size from 1 to {}", spec, name, value,
                              kMaxRanks));
    if (name == "tp") given.sizes.tp = size;
    else if (name == "cp") given.sizes.cp = size;
    else if (name == "ep") given.sizes.ep = size;
    else if (name == "dp") given.sizes.dp = size, given.has_dp = true;
    else if (name == "pp") given.sizes.pp = size;
    else if (name == "etp") given.sizes.etp = size;
    else if (name == "seq") given.sizes.seq = size;
    else if (name == "mbs") given.sizes.mbs = size;
    else if (name == "gbs") given.sizes.gbs = size;
    else given.sizes.shard = size;
  }
  return given;
}

/// The user's order, with unused dimensions appended as Megatron-LM does.
Result<std::string> full_order(const std::string& order, const ParallelSizes& sizes) {
  auto result = lower_case(order.empty() ? kDefaultOrder : std::string_view(order));
  std::replace(result.begin(), result.end(), ',', '-');
  std::vector<std::string_view> seen;
  for (const auto name : split(result, '-')) {
    if (name != "tp" && name != "cp" && name != "ep" && name != "dp" && name != "pp")
      return fail(Code::wrong_usage, fmt::format("--order '{}': no dimension '{}'", order, name),
                  "known: tp cp ep dp pp");
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return fail(Code::wrong_usage, fmt::format("--order '{}': {} is given twice", order, name));
    seen.push_back(name);
  }
  std::string appended;
  for (const std::string_view name : {"tp", "cp", "ep", "dp", "pp"}) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    if (sizes.size_of(name) != 1 || (name == "tp" && sizes.etp > 1))
      return fail(Code::wrong_usage,
                  fmt::format("--order '{}' lacks {}, which has size {}", order, name,
                              sizes.size_of(name)),
                  fmt::format("add -{} where it belongs", name));
    appended += fmt::format("-{}", name);
  }
  return result + appended;
}

void append_groups(RankGraph& graph, std::string_view name, std::vector<std::vector<int>> lists,
                   Collective collective, Bytes bytes, bool overlapped = false) {
  for (auto& members : lists) {
    if (members.size() < 2) continue;
    graph.groups.push_back({std::string(name), std::move(members), collective, bytes, overlapped});
  }
}

/// Every group cut into runs of `shard` members; and who has the same place in each run.
std::pair<std::vector<std::vector<int>>, std::vector<std::vector<int>>> sharded(
    const std::vector<std::vector<int>>& groups, int shard) {
  std::pair<std::vector<std::vector<int>>, std::vector<std::vector<int>>> result;
  for (const auto& group : groups) {
    for (std::size_t at = 0; at < group.size(); at += ix(shard))
      result.first.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(at),
                                group.begin() + static_cast<std::ptrdiff_t>(at) + shard);
    for (int k = 0; k < shard; ++k) {
      auto& replicas = result.second.emplace_back();
      for (std::size_t at = ix(k); at < group.size(); at += ix(shard)) replicas.push_back(group[at]);
    }
  }
  return result;
}

}  // namespace

int ParallelSizes::size_of(std::string_view name) const {
  if (name == "tp") return tp;
  if (name == "cp") return cp;
  if (name == "ep") return ep;
  if (name == "dp") return dp;
  if (name == "pp") return pp;
  return 1;
}

std::vector<std::vector<int>> rank_groups(const ParallelSizes& sizes, std::string_view order,
                                          std::string_view token) {
  const auto wanted = split(token, '-');
  std::vector<Axis> inside, outside;
  for (const auto& axis : axes_of(sizes, order)) {
    const bool in = std::find(wanted.begin(), wanted.end(), axis.name) != wanted.end();
    (in ? inside : outside).push_back(axis);
  }
  const auto offsets = [](const std::vector<Axis>& axes) {
    std::vector<int> all = {0};
    for (const auto& axis : axes) {  // first axis fastest
      std::vector<int> next;
      next.reserve(all.size() * ix(axis.size));
      for (int i = 0; i < axis.size; ++i)
        for (const int base : all) next.push_back(base + i * axis.stride);
      all = std::move(next);
    }
    return all;
  };
  const auto members = offsets(inside);
  std::vector<std::vector<int>> groups;
  for (const int base : offsets(outside)) {
    auto& group = groups.emplace_back(members);
    for (int& rank : group) rank += base;
  }
  return groups;
}

Result<RankGraph> graph_from_parallel(const std::string& spec, const std::string& order, const std::string& bytes,
                                      int ranks) {
  return graph_from_parallel(spec, order, bytes, ranks, ModelShape{});
}

Result<RankGraph> graph_from_parallel(const std::string& spec, const std::string& order,
                                      const std::string& bytes, int ranks, const ModelShape& model_shape) {
  auto given = parse_sizes(spec);
  if (!given) return fail(given.error());
  auto& sizes = given->sizes;
  const auto shape = model_shape.trained_as(sizes);

  // Divided before it is multiplied: no product of the sizes need fit an integer.
  if (sizes.tp > kMaxRanks / sizes.cp || sizes.pp > kMaxRanks / (sizes.tp * sizes.cp) ||
      sizes.dp > kMaxRanks / (sizes.tp * sizes.cp * sizes.pp))
    return fail(Code::wrong_usage, fmt::format("--parallel '{}' is more than {} ranks", spec, kMaxRanks));
  const std::int64_t model = std::int64_t{sizes.tp} * sizes.cp * sizes.pp;
  if (!given->has_dp && ranks > 0) {
    if (ranks % model != 0)
      return fail(Code::wrong_usage,
                  fmt::format("--parallel '{}': {}, which is no multiple of tp x cp x pp = {}",
                              spec, counted(ranks, "rank"), model),
                  fmt::format("use -n {}", (ranks / model + 1) * model));
    sizes.dp = static_cast<int>(ranks / model);
  }
  const int world = static_cast<int>(model * sizes.dp);
  if (ranks > 0 && ranks != world)
    return fail(Code::wrong_usage,
                fmt::format("--parallel '{}' is {}, not {}", spec, counted(world, "rank"), ranks),
                fmt::format("use -n {}, or leave dp out", world));

  if (sizes.shard > 0 && sizes.zero != 3)
    return fail(Code::wrong_usage, fmt::format("--parallel '{}': shard is for zero=3 (FSDP, HSDP)", spec),
                "add zero=3, or leave shard out");
  auto full = full_order(order, sizes);
  if (!full) return fail(full.error());

  // Decoder: ep = 1. Expert: cp = 1, tp = etp, dp = what is left.
  ParallelSizes decoder = sizes;
  decoder.ep = 1;
  ParallelSizes expert = sizes;
  expert.cp = 1;
  expert.tp = sizes.etp > 0 ? sizes.etp : sizes.tp;
  const bool experts = sizes.ep > 1 || (sizes.etp > 0 && sizes.etp != sizes.tp);
  if (experts) {
    const std::int64_t expert_model = static_cast<std::int64_t>(expert.tp) * sizes.ep * sizes.pp;
    if (expert_model > world || world % expert_model != 0)
      return fail(Code::wrong_usage,
                  fmt::format("--parallel '{}': etp x ep x pp = {} does not divide {}", spec,
                              expert_model, counted(world, "rank")));
    expert.dp = static_cast<int>(world / expert_model);
    const bool pp_last = full->size() >= 2 && full->compare(full->size() - 2, 2, "pp") == 0;
    if (!pp_last && sizes.pp > 1 && expert.dp != sizes.dp)
      return fail(Code::wrong_usage,
                  fmt::format("--order '{}' does not end in pp, so dp of the experts ({}) must equal dp ({})",
                              *full, expert.dp, sizes.dp),
                  "end the order in -pp");
    if (rank_groups(decoder, *full, "pp") != rank_groups(expert, *full, "pp"))
      return fail(Code::wrong_usage,
                  fmt::format("--parallel '{}' with order {}: the pipeline groups of decoder and experts differ",
                              spec, *full),
                  "end the order in -pp");
  }

  std::map<std::string, std::int64_t, std::less<>> payload;
  const auto amounts = named_values(bytes, "--bytes");
  if (!amounts) return fail(amounts.error());
  for (const auto& [name, value] : *amounts) {
    constexpr std::array<std::string_view, 8> kKnown = {"tp", "cp", "ep", "dp", "pp", "etp", "edp", "fsdp"};
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
      return fail(Code::wrong_usage, fmt::format("--bytes '{}': no dimension '{}'", bytes, name),
                  fmt::format("known: {}", fmt::join(kKnown, " ")));
    auto amount = parse_bytes(value);
    if (!amount) return fail(Code::wrong_usage, fmt::format("--bytes '{}': {}", bytes, amount.error().message));
    payload.emplace(name, amount->count());
  }
  const auto bytes_of = [&](std::string_view name) {
    const auto found = payload.find(name);
    if (found != payload.end()) return Bytes(found->second);
    return Bytes(static_cast<std::int64_t>(std::llround(std::clamp(shape.payload(sizes, name), 1.0, 9e18))));
  };

  // Bytes that are given are those of one allreduce.
  const auto replicas_do = [&](std::string_view name) {
    return shape.shards_optimizer(sizes) && !payload.contains(name) ? Collective::reduce_scatter_allgather
                                                                    : Collective::allreduce;
  };

  RankGraph graph;
  graph.ranks = world;
  graph.origin = "--parallel " + spec + (order.empty() ? "" : " --order " + order);
  append_groups(graph, "tp", rank_groups(decoder, *full, "tp"), Collective::allreduce, bytes_of("tp"), shape.hide_tensor);
  append_groups(graph, "cp", rank_groups(decoder, *full, "cp"), Collective::ring, bytes_of("cp"));
  if (experts) {
    if (expert.tp != sizes.tp)
      append_groups(graph, "etp", rank_groups(expert, *full, "tp"), Collective::allreduce, bytes_of("etp"));
    append_groups(graph, "ep", rank_groups(expert, *full, "ep"), Collective::alltoall, bytes_of("ep"));
  }
  append_groups(graph, "pp", rank_groups(decoder, *full, "pp"), Collective::path, bytes_of("pp"));
  if (sizes.pp > 1) {
    // Each round of virtual stages but the last goes on from the last stage at the first.
    const auto wrap = static_cast<double>(bytes_of("pp").count()) * (shape.virtual_stages - 1) / shape.virtual_stages;
    for (auto& group : graph.groups)
      if (group.dimension == "pp") group.wrap = Bytes(static_cast<std::int64_t>(wrap));
  }
  // Gradients are reduced over the combined group where there is context parallelism.
  const auto data = rank_groups(decoder, *full, sizes.cp > 1 ? "dp-cp" : "dp");
  if (sizes.zero == 3) {
    const int members = sizes.dp * sizes.cp, shard = sizes.shard > 0 ? sizes.shard : members;
    if (members % shard != 0)
      return fail(Code::wrong_usage, fmt::format("--parallel '{}': shard={} does not divide dp x cp = {}", spec, shard, members));
    auto [shards, replicas] = sharded(data, shard);
    if (shard == members && payload.contains("dp"))
      return fail(Code::wrong_usage,
                  fmt::format("--bytes '{}': zero=3 shards over all of dp, so no group of dp is left", bytes),
                  "give fsdp=BYTES, what is gathered a step");
    append_groups(graph, "fsdp", shards, Collective::allgather, bytes_of("fsdp"), shape.hide_data_parallel);
    const double share = shape.payload(sizes, "fsdp-grad") / shape.payload(sizes, "fsdp");
    append_groups(graph, "fsdp", std::move(shards), Collective::reduce_scatter,
                  Bytes(std::llround(std::max(1.0, share * static_cast<double>(bytes_of("fsdp").count())))),
                  shape.hide_data_parallel);
    append_groups(graph, "dp", std::move(replicas), Collective::allreduce, bytes_of("dp"), shape.hide_data_parallel);
  } else {
    append_groups(graph, "dp", data, replicas_do("dp"), bytes_of("dp"), shape.hide_data_parallel);
  }
  if (experts)
    append_groups(graph, "edp", rank_groups(expert, *full, "dp"), replicas_do("edp"), bytes_of("edp"), shape.hide_data_parallel);

  for (const auto& axis : axes_of(decoder, *full))
    if (axis.name != "ep") graph.dimensions.push_back({std::string(axis.name), axis.size, axis.stride});
  if (experts)
    for (const auto& axis : axes_of(expert, *full)) {
      if (axis.name == "ep") graph.dimensions.push_back({"ep", axis.size, axis.stride});
      if (axis.name == "dp") graph.dimensions.push_back({"edp", axis.size, axis.stride});
      if (axis.name == "tp" && axis.size != sizes.tp)
        graph.dimensions.push_back({"etp", axis.size, axis.stride});
    }
  return graph;
}

}  // namespace topolaunch::mapping
