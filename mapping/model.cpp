// SPDX-License-Identifier: Apache-2.0
#include "mapping/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <compare>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "mapping/model_fields.h"
#include "mapping/model_shape.h"
#include "mapping/named_values.h"
#include "mapping/parallel.h"

namespace topolaunch::mapping {
namespace {

/// Reads fields, gathering every one that does not fit.
class Reader {
 public:
  explicit Reader(const ModelFields& fields) : fields_(fields) {}

  double number(const std::string& name, double fallback, bool whole = true) {
    const auto at = fields_.find(name);
    if (at == fields_.end()) return fallback;
    const auto& text = at->second.value;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool fits = error == std::errc{} && end == text.data() + text.size() && value > 0 &&
                      value < 1e15 && (!whole || value == std::floor(value));
    if (!fits) {
      find(name, fmt::format("'{}' is not a {}number over 0", text, whole ? "whole " : ""));
      return fallback;
    }
    return value;
  }
  bool truth(const std::string& name, bool fallback) {
    const auto at = fields_.find(name);
    if (at == fields_.end()) return fallback;
    if (at->second.value != "true" && at->second.value != "false")
      find(name, fmt::format("'{}' is neither true nor false", at->second.value));
    return at->second.value == "true";
  }
  double bytes_of_type(const std::string& name, double fallback) {
    const auto at = fields_.find(name);
    if (at == fields_.end()) return fallback;
    for (const auto& [type, size] : std::initializer_list<std::pair<const char*, double>>{
             {"fp32", 4}, {"tf32", 4}, {"bf16", 2}, {"fp16", 2}, {"fp8", 1}})
      if (at->second.value == type) return size;
    find(name, fmt::format("'{}' is no type of fp32 bf16 fp16 fp8", at->second.value));
    return fallback;
  }
  bool has(const std::string& name) const { return fields_.count(name) > 0; }
  const std::string& text(const std::string& name) const { return fields_.at(name).value; }
  void find(const std::string& name, const std::string& what) {
    const auto at = fields_.find(name);
    findings_.push_back(
        {at == fields_.end() ? 0 : at->second.line,
         fmt::format("{}: {}", at == fields_.end() ? name : at->second.written, what)});
  }
  /// `value` must be a multiple of `of`.
  void multiple(const std::string& name, double value, double of, const std::string& words) {
    if (has(name) && std::fmod(value, of) != 0)
      find(name, fmt::format("{} is no multiple of {} = {}", value, words, of));
  }
  std::optional<Error> error(const std::string& file) {
    if (findings_.empty()) return std::nullopt;
    std::sort(findings_.begin(), findings_.end());
    findings_.erase(std::unique(findings_.begin(), findings_.end()), findings_.end());
    std::string message = findings_.front().text;
    for (std::size_t i = 1; i < findings_.size(); ++i)
      message += fmt::format("; line {}: {}", findings_[i].line, findings_[i].text);
    return Error{Code::invalid_input, message, {}, file, findings_.front().line};
  }

 private:
  struct Finding {
    int line;
    std::string text;
    friend auto operator<=>(const Finding&, const Finding&) = default;
  };
  const ModelFields& fields_;
  std::vector<Finding> findings_;
};

/// Tokens of a sequence that are assumed at most where a file says only what a model could take.
constexpr double kUsualSequence = 4096;

ModelShape shape_of(Reader& in) {
  ModelShape shape;
  shape.layers = in.number("model.layers", shape.layers);
  shape.hidden = in.number("model.hidden", shape.hidden);
  const double heads = in.number("model.heads", std::max(1.0, shape.hidden / 128));
  const double kv_heads = in.number("model.kv_heads", heads);
  const double head = in.number("model.head_dim", shape.hidden / heads);
  shape.kv_width = kv_heads * head;
  shape.sequence = in.number("model.sequence", std::min(in.number("model.longest_sequence", shape.sequence), kUsualSequence));
  if (!in.has("model.head_dim")) in.multiple("model.heads", shape.hidden, heads, "heads");
  in.multiple("model.kv_heads", heads, kv_heads, "kv_heads");
  const bool gated = in.truth("model.gated_ffn", true);
  const double ffn = in.number("model.ffn_hidden", 4 * shape.hidden),
               vocabulary = in.number("model.vocabulary", 51200);
  const double experts = in.number("model.moe.experts", 0);
  const double every = std::max(1.0, in.number("model.moe.every", 1));
  const double expert_ffn = in.number("model.moe.expert_ffn_hidden", ffn);
  const double shared_ffn = in.number("model.moe.shared_ffn_hidden", 0);
  shape.top_k = in.number("model.moe.top_k", 2);
  shape.capacity = in.number("model.moe.capacity_factor", 1, false);
  shape.moe_layers = in.number(
      "model.moe.layers", std::floor((shape.layers - in.number("model.moe.first_dense", 0)) / every));
  if (experts == 0) shape.moe_layers = 0;
  shape.experts_are_its_own = true;
  const double h = shape.hidden, matrices = gated ? 3 : 2;
  // Attention: Q and output, K and V. What stands between layers in its place (MLA, Mamba) has a count of
  // its own.
  const double attention = in.number("model.attention_parameters", 2 * h * heads * head + 2 * h * shape.kv_width);
  const double embeddings = vocabulary * h * (in.truth("model.tied_embeddings", true) ? 1 : 2);
  shape.parameters = in.number(
      "model.parameters",
      shape.layers * attention + (shape.layers - shape.moe_layers) * matrices * h * ffn +
          shape.moe_layers * h * (matrices * shared_ffn + experts) + embeddings);
  shape.expert_parameters = shape.moe_layers * experts * matrices * h * expert_ffn;
  shape.micro = in.number("batch.micro", 1);
  shape.global = in.number("batch.global", 0);
  shape.micro_batches = 0;
  shape.virtual_stages = in.number("parallel.virtual_stages", 1);
  shape.sequence_parallel = in.truth("parallel.sequence_parallel", true);
  shape.distributed_optimizer = in.truth("overlap.distributed_optimizer", true);
  shape.hide_data_parallel =
      in.truth("overlap.gradient_reduce", false) &&
      (!shape.distributed_optimizer || in.truth("overlap.parameter_gather", false));
  shape.hide_tensor = in.truth("overlap.tensor", false);
  shape.parameter_bytes = in.bytes_of_type("types.parameters", 2);
  shape.gradient_bytes = in.bytes_of_type("types.gradients", 4);
  shape.activation_bytes =
      in.bytes_of_type("types.activations", std::min(2.0, shape.parameter_bytes));
  in.bytes_of_type("types.optimizer", 4);
  return shape;
}

/// "; sequence 4096 assumed (seq= of --parallel says it)": what neither the file nor the command line says.
std::string assumed(const Reader& in, const ModelShape& shape, const std::string& spec, const RankGraph& graph) {
  const auto said = [&](std::string_view name) {
    const auto values = named_values(spec, "--parallel");
    return values && std::any_of(values->begin(), values->end(), [&](const NamedValue& value) { return value.name == name; });
  };
  std::string text;
  if (!in.has("model.sequence") && !said("seq")) text += fmt::format("; sequence {} assumed, seq= says it", shape.sequence);
  if (shape.global <= 0 && !said("gbs")) {
    ParallelSizes sizes;
    for (const auto& dimension : graph.dimensions)
      if (dimension.name == "pp") sizes.pp = dimension.size;
    text += fmt::format("; {} micro-batches a step assumed, gbs= says them", shape.micro_batch_count(sizes));
  }
  if (in.has("note")) text += "; " + in.text("note");
  return text;
}

/// "tp=8,pp=4,..." from the file's fields.
std::string parallel_of(Reader& in) {
  std::string spec;
  for (const auto& [field, name] :
       std::initializer_list<std::pair<const char*, const char*>>{{"parallel.tp", "tp"},
                                                                  {"parallel.cp", "cp"},
                                                                  {"parallel.ep", "ep"},
                                                                  {"parallel.pp", "pp"},
                                                                  {"parallel.dp", "dp"},
                                                                  {"parallel.expert_tp", "etp"},
                                                                  {"parallel.zero", "zero"},
                                                                  {"parallel.shard", "shard"}}) {
    if (!in.has(field)) continue;
    const std::string text = in.text(field);
    if (std::string(name) != "zero") in.number(field, 1);
    spec += fmt::format("{}{}={}", spec.empty() ? "" : ",", name, text);
  }
  return spec;
}

}  // namespace

Result<RankGraph> graph_from_model(const std::string& text, const std::string& file,
                                   const ModelRequest& request) {
  auto fields = model_fields(text, file);
  if (!fields) return fail(fields.error());
  Reader in(*fields);
  const auto shape = shape_of(in);
  const auto own = parallel_of(in);
  const auto spec = request.parallel.empty() ? own : request.parallel;
  const bool from_file = request.parallel.empty();
  if (from_file) {
    const double pp = in.number("parallel.pp", 1),
                 micro = shape.micro * in.number("parallel.dp", 1);
    in.multiple("model.layers", shape.layers, pp * shape.virtual_stages, "pp x virtual_stages");
    in.multiple("batch.global", shape.global, micro, "micro x dp");
  }
  // An order is checked with the file's line; graph_from_parallel would blame the command line.
  std::string order = request.order;
  if (in.has("parallel.order") && request.order.empty()) {
    order = in.text("parallel.order");
    std::vector<std::string> seen;
    for (std::size_t at = 0; at <= order.size();) {
      const auto end = std::min(order.find('-', at), order.size());
      const auto name = order.substr(at, end - at);
      if (name != "tp" && name != "cp" && name != "ep" && name != "dp" && name != "pp")
        in.find("parallel.order", fmt::format("no dimension '{}'", name));
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        in.find("parallel.order", fmt::format("{} is there twice", name));
      seen.push_back(name);
      at = end + 1;
    }
  }
  std::string bytes = request.bytes;
  for (const char* const group : {"tp", "cp", "ep", "dp", "pp", "etp", "edp", "fsdp"}) {
    const auto name = fmt::format("bytes.{}", group);
    if (!in.has(name) || request.bytes.find(fmt::format("{}=", group)) != std::string::npos)
      continue;
    // "12.5 GiB": the blank is for readers.
    auto amount = in.text(name);
    std::erase(amount, ' ');
    if (const auto parsed = parse_bytes(amount); !parsed) in.find(name, parsed.error().message);
    bytes += fmt::format("{}{}={}", bytes.empty() ? "" : ",", group, amount);
  }
  if (auto error = in.error(file)) return fail(std::move(*error));
  if (spec.empty())
    return fail(Error{Code::wrong_usage, "the model does not say how it is spread over ranks",
                      "add --parallel tp=..,pp=..,dp=..", file, 0});
  auto graph = graph_from_parallel(spec, order, bytes, request.ranks, shape);
  if (!graph) {
    if (!from_file) return graph;
    Error error = graph.error();
    error.code = Code::invalid_input;
    error.file = file;
    if (const auto at = fields->find("parallel.tp"); at != fields->end())
      error.line = at->second.line;
    return fail(std::move(error));
  }
  graph->origin = fmt::format("--model {} ({}{})", file, spec, assumed(in, shape, spec, *graph));
  return graph;
}

}  // namespace topolaunch::mapping
