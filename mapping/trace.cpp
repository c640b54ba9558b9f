// SPDX-License-Identifier: Apache-2.0
//
// Field names: PyTorch 2.5 torch/csrc/profiler/standalone/execution_trace_observer.cpp and
// torch/csrc/profiler/util.cpp (record_param_comms, distributedInfo); Chakra 0.0.4 et_def.proto.
#include "mapping/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "mapping/trace_groups.h"

namespace topolaunch::mapping {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 53;

/// A collective of a name that says it; nothing for barriers, waits and the like.
std::optional<Collective> collective_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("reduce_scatter") || has("ReduceScatter")) return Collective::reduce_scatter;
  if (has("allgather") || has("all_gather") || has("AllGather")) return Collective::allgather;
  if (has("allreduce") || has("all_reduce") || has("AllReduce")) return Collective::allreduce;
  if (has("all_to_all") || has("alltoall") || has("AllToAll")) return Collective::alltoall;
  // To or from one rank: what a broadcast of all the data puts on the links.
  if (has("broadcast") || has("Broadcast") || has("reduce") || has("Reduce") || has("gather") || has("Gather") ||
      has("scatter") || has("Scatter"))
    return Collective::broadcast;
  if (name == "send" || name == "recv" || name == "isend" || name == "irecv")
    return Collective::path;
  return std::nullopt;
}

/// Chakra's CollectiveCommType: ALL_REDUCE 0, REDUCE 1, ALL_GATHER 2, GATHER 3, SCATTER 4,
/// BROADCAST 5, ALL_TO_ALL 6, REDUCE_SCATTER 7, REDUCE_SCATTER_BLOCK 8, BARRIER 9.
std::optional<Collective> chakra_collective(std::int64_t type) {
  switch (type) {
    case 0:
      return Collective::allreduce;
    case 2:
      return Collective::allgather;
    case 1:
    case 3:
    case 4:
    case 5:
      return Collective::broadcast;
    case 6:
      return Collective::alltoall;
    case 7:
    case 8:
      return Collective::reduce_scatter;
    default:
      return std::nullopt;
  }
}

std::int64_t size_of_type(std::string_view type) {
  const auto has = [&](std::string_view part) { return type.find(part) != std::string_view::npos; };
  if (has("Float8") || has("Byte") || has("Char") || has("Bool")) return 1;
  if (has("BFloat16") || has("Half") || has("Short")) return 2;
  if (has("Double") || has("Long")) return 8;
  return 4;
}

/// A member of a list [{"name": NAME, ...: value}]: PyTorch's "value", Chakra's "int64Val" and so
/// on.
const Json* attribute(const Json& node, const char* list, std::string_view name) {
  const auto attrs = node.find(list);
  if (attrs == node.end() || !attrs->is_array()) return nullptr;
  for (const auto& attr : *attrs) {
    if (!attr.is_object() || text_at(attr, "name") != name) continue;
    for (const auto& [key, value] : attr.items())
      if (key == "value" || key.ends_with("Val")) return &value;
  }
  return nullptr;
}

class Traces {
 public:
  Status add(TraceKind kind, const TraceFile& file) {
    file_ = file.name;
    groups_.begin(file.name);
    switch (kind) {
      case TraceKind::pytorch:
        return pytorch(file.text);
      case TraceKind::kineto:
        return kineto(file.text);
      default:
        return chakra(file.text);
    }
  }

  Result<RankGraph> finish(const std::string& origin) { return groups_.finish(origin); }

 private:
  Status pytorch(const std::string& text) {
    auto json = parse_json(text, file_);
    if (!json) return fail(json.error());
    const auto nodes = json->find("nodes");
    if (nodes == json->end() || !nodes->is_array()) return groups_.wrong("it has no \"nodes\"");
    for (const auto& node : *nodes) {
      if (!node.is_object() ||
          text_at(node, "name").find("process_group:init") == std::string::npos)
        continue;
      const auto inputs = node.find("inputs");
      if (inputs == node.end() || !inputs->is_object() || !inputs->contains("values") ||
          (*inputs)["values"].empty() || !(*inputs)["values"][0].is_string())
        return groups_.wrong("process_group:init has no text in it");
      auto list = parse_json((*inputs)["values"][0].get_ref<const std::string&>(), file_);
      if (!list) return fail(std::move(list).error().within("process_group:init"));
      if (auto status = groups_.learn(*list, "process_group:init"); !status) return status;
    }
    for (const auto& node : *nodes) {
      if (!node.is_object() || text_at(node, "name") != "record_param_comms") continue;
      const auto where = fmt::format("node {}", node.contains("id") ? to_line(node["id"]) : "?");
      const auto* name = attribute(node, "attrs", "collective_name");
      if (name == nullptr || !name->is_string())
        return groups_.wrong(fmt::format("{}: record_param_comms without collective_name", where));
      const auto kind = collective_of(name->get_ref<const std::string&>());
      if (!kind) continue;
      const auto value = [&](const char* key) -> std::optional<std::int64_t> {
        const auto* at = attribute(node, "attrs", key);
        return at == nullptr ? std::nullopt : number_in(*at);
      };
      const auto in = value("in_msg_nelems"), out = value("out_msg_nelems");
      const auto* type = attribute(node, "attrs", "dtype");
      const auto* group = attribute(node, "attrs", "pg_name");
      if (!in || !out || *in < 0 || *out < 0 || type == nullptr || !type->is_string() ||
          group == nullptr || !group->is_string())
        return groups_.wrong(
            fmt::format("{}: record_param_comms without sizes, dtype or pg_name", where));
      if (auto status =
              message(group->get<std::string>(), *kind, *in, *out, type->get<std::string>(), where);
          !status)
        return status;
    }
    return {};
  }

  /// Payload as nccl-tests counts it: what is gathered, what is scattered.
  Status message(const std::string& group, Collective kind, std::int64_t in, std::int64_t out,
                 const std::string& type, const std::string& where) {
    const std::int64_t count = kind == Collective::allgather ? out : kind == Collective::broadcast ? std::max(in, out) : in;
    const auto size = size_of_type(type);
    if (count > kMaxElements / size)
      return groups_.wrong(fmt::format("{}: {} elements", where, count));
    return groups_.collective(group, kind, count * size, where);
  }

  Status kineto(const std::string& text) {
    auto json = parse_json(text, file_);
    if (!json) return fail(json.error());
    const auto info = json->find("distributedInfo");
    if (info == json->end() || !info->is_object())
      return groups_.wrong("it has no \"distributedInfo\": no distributed job was traced");
    const auto rank = number_at(*info, "rank"), world = number_at(*info, "world_size");
    if (!rank || !world || *world < 1 || *world > kMaxTraceRanks || *rank < 0 || *rank >= *world)
      return groups_.wrong("distributedInfo has no rank of a world_size");
    groups_.at_least(static_cast<int>(*world));
    if (const auto config = info->find("pg_config"); config != info->end())
      if (auto status = groups_.learn(*config, "pg_config"); !status) return status;
    const auto events = json->find("traceEvents");
    if (events == json->end() || !events->is_array())
      return groups_.wrong("it has no \"traceEvents\"");
    std::size_t number = 0;
    for (const auto& event : *events) {
      ++number;
      if (!event.is_object() || text_at(event, "cat") != "kernel" || !event.contains("args") ||
          !event["args"].is_object())
        continue;
      const auto& args = event["args"];
      const auto kind = collective_of(text_at(args, "Collective name"));
      if (!kind) continue;
      const auto where = fmt::format("traceEvents[{}]", number - 1);
      const auto in = number_at(args, "In msg nelems"), out = number_at(args, "Out msg nelems");
      if (!in || !out || *in < 0 || *out < 0)
        return groups_.wrong(fmt::format("{}: a collective without its sizes", where));
      if (auto status = message(text_at(args, "Process Group Name"), *kind, *in, *out,
                                text_at(args, "dtype"), where);
          !status)
        return status;
    }
    return {};
  }

  /// Objects one behind the other (the jsonizer's form), or one document with "workload_graph".
  Status chakra(const std::string& text) {
    std::size_t at = 0;
    int number = 0;
    while (true) {
      while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
      if (at >= text.size()) break;
      const auto end = object_end(text, at);
      const int line = 1 + static_cast<int>(std::count(
                               text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      if (end == std::string::npos)
        return fail(Error{Code::invalid_input, "the file ends within a node", {}, file_, line});
      auto json = parse_json(std::string_view(text).substr(at, end - at), file_);
      if (!json) {
        Error error = json.error();
        error.line += line - 1;
        return fail(std::move(error));
      }
      at = end;
      if (const auto graph = json->find("workload_graph");
          graph != json->end() && graph->is_array()) {
        if (const auto gpus = number_at(*json, "ngpus");
            gpus && *gpus > 0 && *gpus < kMaxTraceRanks)
          groups_.at_least(static_cast<int>(*gpus));
        for (const auto& node : *graph)
          if (auto status = workload_node(node, fmt::format("workload_graph[{}]", number++));
              !status)
            return status;
        continue;
      }
      if (auto status = chakra_node(*json, fmt::format("node at line {}", line)); !status)
        return status;
    }
    return {};
  }

  static std::size_t object_end(const std::string& text, std::size_t at) {
    int depth = 0;
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (quoted) {
        if (c == '\\')
          ++at;
        else if (c == '"')
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return at + 1;
      }
    }
    return std::string::npos;
  }

  Status chakra_node(const Json& node, const std::string& where) {
    if (!node.is_object()) return groups_.wrong(fmt::format("{} is not an object", where));
    const auto type = text_at(node, "type");
    const auto value = [&](const char* key) -> std::optional<std::int64_t> {
      const auto* at = attribute(node, "attr", key);
      return at == nullptr ? std::nullopt : number_in(*at);
    };
    // A zero that was never set is absent.
    const auto bytes = value("comm_size").value_or(0);
    if (type == "COMM_SEND_NODE" || type == "COMM_RECV_NODE")
      return groups_.message(value("comm_src").value_or(0), value("comm_dst").value_or(0), bytes,
                             where);
    if (type != "COMM_COLL_NODE") return {};
    const auto kind = chakra_collective(value("comm_type").value_or(0));
    if (!kind || bytes == 0) return {};
    const auto* group = attribute(node, "attr", "pg_name");
    return groups_.collective(
        group != nullptr && group->is_string() ? group->get<std::string>() : groups_.everybody(),
        *kind, bytes, where);
  }

  Status workload_node(const Json& node, const std::string& where) {
    if (!node.is_object()) return groups_.wrong(fmt::format("{} is not an object", where));
    const auto type = number_at(node, "NodeType");
    if (!type) return groups_.wrong(fmt::format("{}: no NodeType", where));
    const auto bytes = number_at(node, "comm_size").value_or(0);
    if (*type == 5 || *type == 6)
      return groups_.message(number_at(node, "comm_src").value_or(0),
                             number_at(node, "comm_dst").value_or(0), bytes, where);
    if (*type != 7) return {};
    const auto kind = chakra_collective(number_at(node, "comm_type").value_or(0));
    if (!kind || bytes == 0) return {};
    const auto group = text_at(node, "pg_name");
    return groups_.collective(group.empty() ? groups_.everybody() : group, *kind, bytes, where);
  }

  std::string file_;
  TraceGroups groups_;
};

}  // namespace

TraceKind trace_kind(const std::string& text) {
  const auto head = std::string_view(text).substr(0, std::size_t{1} << 16);
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return TraceKind::none;
  if (head[first] != '{') {
    // Its first lines are a comment, or "E<tab>0<tab>1<tab>...".
    return has(" bytes\t") && has(" msgs sent") ? TraceKind::monitoring : TraceKind::none;
  }
  if (has("\"distributedInfo\"") || has("\"traceEvents\"")) return TraceKind::kineto;
  if (has("\"workload_graph\"") || has("\"COMM_COLL_NODE\"") || has("\"stringVal\""))
    return TraceKind::chakra;
  if (has("\"nodes\"")) return TraceKind::pytorch;
  return TraceKind::none;
}

Result<RankGraph> graph_from_traces(TraceKind kind, const std::vector<TraceFile>& files) {
  if (kind == TraceKind::monitoring) return graph_from_monitoring(files);
  Traces traces;
  for (const auto& file : files)
    if (auto status = traces.add(kind, file); !status) return fail(status.error());
  return traces.finish(files.front().name);
}

}  // namespace topolaunch::mapping
