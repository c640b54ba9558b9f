// SPDX-License-Identifier: Apache-2.0
//
// Names and defaults: Megatron-LM core 0.14, megatron/training/arguments.py.
#include "mapping/megatron_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <map>
#include <sstream>
#include <utility>

namespace topolaunch::mapping {
namespace {

const std::map<std::string, std::string> kValued = {
    {"--num-layers", "model.layers"},
    {"--hidden-size", "model.hidden"},
    {"--ffn-hidden-size", "model.ffn_hidden"},
    {"--num-attention-heads", "model.heads"},
    {"--num-query-groups", "model.kv_heads"},
    {"--kv-channels", "model.head_dim"},
    {"--seq-length", "model.sequence"},
    {"--padded-vocab-size", "model.vocabulary"},
    {"--vocab-size", "model.vocabulary"},
    {"--num-experts", "model.moe.experts"},
    {"--moe-router-topk", "model.moe.top_k"},
    {"--moe-ffn-hidden-size", "model.moe.expert_ffn_hidden"},
    {"--moe-shared-expert-intermediate-size", "model.moe.shared_ffn_hidden"},
    {"--moe-layer-freq", "model.moe.every"},
    {"--moe-expert-capacity-factor", "model.moe.capacity_factor"},
    {"--tensor-model-parallel-size", "parallel.tp"},
    {"--pipeline-model-parallel-size", "parallel.pp"},
    {"--context-parallel-size", "parallel.cp"},
    {"--expert-model-parallel-size", "parallel.ep"},
    {"--expert-tensor-parallel-size", "parallel.expert_tp"},
    {"--num-virtual-stages-per-pipeline-rank", "parallel.virtual_stages"},
    {"--num-layers-per-virtual-pipeline-stage", "layers a virtual stage"},
    {"--data-parallel-sharding-strategy", "sharding"},
    {"--micro-batch-size", "batch.micro"},
    {"--global-batch-size", "batch.global"}};

const std::map<std::string, std::pair<std::string, std::string>> kSwitches = {
    {"--sequence-parallel", {"parallel.sequence_parallel", "true"}},
    {"--use-distributed-optimizer", {"overlap.distributed_optimizer", "true"}},
    {"--overlap-grad-reduce", {"overlap.gradient_reduce", "true"}},
    {"--overlap-param-gather", {"overlap.parameter_gather", "true"}},
    {"--tp-comm-overlap", {"overlap.tensor", "true"}},
    {"--swiglu", {"model.gated_ffn", "true"}},
    {"--untie-embeddings-and-output-weights", {"model.tied_embeddings", "false"}},
    {"--use-tp-pp-dp-mapping", {"parallel.order", "tp-cp-ep-pp-dp"}},
    {"--bf16", {"types.parameters", "bf16"}},
    {"--fp16", {"types.parameters", "fp16"}},
    {"--grad-reduce-in-bf16", {"types.gradients", "bf16"}},
    {"--accumulate-allreduce-grads-in-fp32", {"types.gradients", "fp32"}},
    {"--use-torch-fsdp2", {"parallel.zero", "3"}}};

bool is_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// NAME=VALUE seen so far, and words with their values in place.
class Variables {
 public:
  void note(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos ||
        !std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), is_name))
      return;
    values_[word.substr(0, equals)] = in_place(word.substr(equals + 1));
  }

  /// $NAME, ${NAME}, ${NAME:-otherwise}; what is not known stays as it is written.
  std::string in_place(const std::string& word) const {
    std::string result;
    for (std::size_t at = 0; at < word.size();) {
      if (word[at] != '$') {
        result += word[at++];
        continue;
      }
      const bool braces = at + 1 < word.size() && word[at + 1] == '{';
      std::size_t end = at + (braces ? 2 : 1);
      const auto begin = end;
      while (end < word.size() && is_name(word[end])) ++end;
      const auto name = word.substr(begin, end - begin);
      std::string otherwise;
      const auto close = braces ? word.find('}', end) : end;
      if (name.empty() || close == std::string::npos) {
        result += word[at++];
        continue;
      }
      if (braces && close > end)
        otherwise = word.substr(word.find_first_not_of(":-=", end),
                                close - word.find_first_not_of(":-=", end));
      const auto next = braces ? close + 1 : end;
      const auto known = values_.find(name);
      result += known != values_.end() && !known->second.empty() ? known->second
                : !otherwise.empty()                             ? otherwise
                                                                 : word.substr(at, next - at);
      at = next;
    }
    return result;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// "[0]*3+[1]*58": how many ones; -1 if it is no such list.
int layers_with_experts(const std::string& text) {
  int ones = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto close = text.find(']', at);
    if (text[at] != '[' || close == std::string::npos) return -1;
    const auto count =
        static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                    text.begin() + static_cast<std::ptrdiff_t>(close), '1'));
    int times = 1;
    at = close + 1;
    if (at < text.size() && text[at] == '*') {
      const auto [end, error] =
          std::from_chars(text.data() + at + 1, text.data() + text.size(), times);
      if (error != std::errc{} || times < 0 || times > 100'000) return -1;
      at = static_cast<std::size_t>(end - text.data());
    }
    ones += count * times;
    if (at < text.size() && text[at++] != '+') return -1;
  }
  return ones;
}

double number_of(const ModelFields& fields, const std::string& name) {
  const auto at = fields.find(name);
  double value = 0;
  if (at != fields.end())
    std::from_chars(at->second.value.data(), at->second.value.data() + at->second.value.size(),
                    value);
  return value;
}

/// What Megatron derives from other arguments.
void derive(ModelFields& fields) {
  if (const auto stage = fields.extract("layers a virtual stage"); !stage.empty()) {
    const double layers = number_of(fields, "model.layers"),
                 pp = std::max(1.0, number_of(fields, "parallel.pp"));
    double each = 0;
    const auto& text = stage.mapped().value;
    std::from_chars(text.data(), text.data() + text.size(), each);
    fields["parallel.virtual_stages"] = {each > 0 ? fmt::format("{}", layers / pp / each) : text,
                                         stage.mapped().line, stage.mapped().written};
  }
  if (const auto sharding = fields.extract("sharding"); !sharding.empty()) {
    const auto& strategy = sharding.mapped();
    const std::map<std::string, const char*> stages = {
        {"no_shard", "0"}, {"optim", "1"}, {"optim_grads", "2"}, {"optim_grads_params", "3"}};
    const auto stage = stages.find(strategy.value);
    fields["parallel.zero"] = {stage != stages.end() ? stage->second : strategy.value,
                               strategy.line, strategy.written};
  }
  if (const auto every = fields.find("model.moe.every");
      every != fields.end() && every->second.value.starts_with('[')) {
    auto field = every->second;
    const int layers = layers_with_experts(field.value);
    if (layers >= 0) field.value = std::to_string(layers);
    fields.erase(every);
    fields["model.moe.layers"] = std::move(field);
  }
  // Gradients are summed in fp32 with --bf16, and in the parameters' type otherwise.
  const auto type = fields["types.parameters"];
  if (type.value == "fp16" && !fields.count("types.gradients")) fields["types.gradients"] = type;
  fields["types.activations"] = type;
}

}  // namespace

Result<ModelFields> megatron_fields(const std::string& text, const std::string& file) {
  const auto wrong = [&](int line, std::string message, std::string next = {}) {
    return fail(Error{Code::invalid_input, std::move(message), std::move(next), file, line});
  };
  // What Megatron does where nothing is said.
  ModelFields fields;
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"parallel.sequence_parallel", "false"},
           {"overlap.distributed_optimizer", "false"},
           {"model.gated_ffn", "false"},
           {"types.parameters", "fp32"},
           {"parallel.tp", "1"},
           {"parallel.pp", "1"},
           {"parallel.cp", "1"},
           {"parallel.ep", "1"}})
    fields[name] = {value, 0, "Megatron's default"};
  Variables variables;
  std::istringstream lines(text);
  int number = 0;
  std::string pending;  // an argument whose value is the next word
  int pending_line = 0;
  const auto set = [&](const std::string& name, const std::string& word, int line) -> Status {
    const auto value = variables.in_place(word);
    if (value.find('$') != std::string::npos)
      return wrong(line, fmt::format("{} is {}, which the file does not set", name, value),
                   "write the number there");
    fields[kValued.at(name)] = {value, line, name};
    return {};
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto comment = line.find('#');
    line = line.substr(0, comment);
    std::replace(line.begin(), line.end(), ';', ' ');
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "\\") continue;
      std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == ')' || c == '('; });
      if (!pending.empty()) {
        if (word.starts_with("--") || word.empty())
          return wrong(pending_line, fmt::format("{} has no value", pending));
        if (auto status = set(pending, word, number); !status) return fail(status.error());
        pending.clear();
        continue;
      }
      const auto equals = word.find('=');
      const auto name = word.substr(0, equals);
      if (const auto at = kSwitches.find(word); at != kSwitches.end()) {
        fields[at->second.first] = {at->second.second, number, word};
      } else if (kValued.count(name) == 0) {
        variables.note(word);
      } else if (equals != std::string::npos) {
        if (auto status = set(name, word.substr(equals + 1), number); !status)
          return fail(status.error());
      } else {
        pending = name, pending_line = number;
      }
    }
  }
  if (!pending.empty()) return wrong(pending_line, fmt::format("{} has no value", pending));
  derive(fields);
  return fields;
}

}  // namespace topolaunch::mapping
