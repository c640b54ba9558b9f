// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/option_words.h"

#include <utility>

namespace topolaunch::bench {
namespace {

/// As nccl-tests' parsesize: K, M and G are powers of 1024, whatever stands behind them ("1MB").
Status read_bytes(std::string text, const char* option, Bytes& into) {
  const auto letter = text.find_first_of("kKmMgGtT");
  if (letter != std::string::npos && letter + 2 == text.size() && (text.back() == 'B' || text.back() == 'b'))
    text.pop_back();
  auto bytes = parse_bytes(text);
  if (!bytes) return fail(Code::wrong_usage, std::string(option) + ": " + bytes.error().message);
  into = *bytes;
  return {};
}

Status read_time(const std::string& text, const char* option, Seconds& into) {
  auto seconds = parse_duration(text);
  if (!seconds)
    return fail(Code::wrong_usage, std::string(option) + ": " + seconds.error().message);
  into = *seconds;
  return {};
}

Status read_sizes(const OptionWords& words, Options& o) {
  if (auto s = read_bytes(words.minimum, "-b", o.sweep.minimum); !s) return s;
  if (auto s = read_bytes(words.maximum, "-e", o.sweep.maximum); !s) return s;
  if (words.step) {
    if (auto s = read_bytes(*words.step, "-i", o.sweep.step); !s) return s;
    if (o.sweep.step.count() < 1) return fail(Code::wrong_usage, "-i: a step of 0 never ends");
  }
  auto sizes = sweep_sizes(o.sweep, static_cast<std::int64_t>(element_bytes(o.trial.type)));
  if (!sizes) return fail(std::move(sizes).error());
  o.trial.sizes = std::move(*sizes);
  return {};
}

Status read_collective(const OptionWords& words, TrialOptions& trial) {
  const auto named = collective_named(words.collective);
  if (!named) {
    return fail(Code::wrong_usage, "--collective: there is no \"" + words.collective + "\"",
                "allreduce, allgather, reduce_scatter, broadcast, reduce, alltoall or sendrecv");
  }
  trial.collective = *named;
  // The types and operations of nccl-tests that aren't here: what they would show, these show too.
  if (words.type != "float" && words.type != "int32") {
    return fail(Code::wrong_usage, "-d " + words.type + ": float and int32 are measured",
                "-d float: time goes by the bytes, not by their type");
  }
  if (words.operation != "sum" && words.operation != "min" && words.operation != "max") {
    return fail(Code::wrong_usage, "-o " + words.operation + ": sum, min and max are measured",
                "-o sum");
  }
  trial.type = words.type == "float" ? kernels::ElementType::float32 : kernels::ElementType::int32;
  trial.reduction = words.operation == "min"   ? kernels::Reduction::minimum
                    : words.operation == "max" ? kernels::Reduction::maximum
                                               : kernels::Reduction::sum;
  // Their defaults are nccl-tests' too, and said with every collective there.
  if (!reduces(*named) && trial.reduction != kernels::Reduction::sum) {
    return fail(Code::wrong_usage,
                "-o " + words.operation + ": " + name_of(*named) + " has no operation",
                "leave it out, or --collective allreduce, reduce_scatter, reduce");
  }
  if (!has_root(*named) && trial.root != 0) {
    return fail(Code::wrong_usage,
                "-r " + std::to_string(trial.root) + ": " + name_of(*named) + " has no root",
                "leave it out, or --collective broadcast, reduce");
  }
  return {};
}

Status read_pairs(const OptionWords& words, std::optional<PairOptions>& pairs) {
  if (!words.with_pairs) return {};
  auto wanted = pair_options(words.pairs);
  if (!wanted) return fail(std::move(wanted).error());
  pairs = *wanted;
  pairs->per_host = words.pairs_per_host;
  pairs->bytes = 0;
  if (!words.pair_size) return {};
  Bytes each;
  if (auto s = read_bytes(*words.pair_size, "--pair-bytes", each); !s) return s;
  if (each.count() < 4) return fail(Code::wrong_usage, "--pair-bytes: less than one element");
  pairs->bytes = each.count();
  return {};
}

}  // namespace

Status read_words(const OptionWords& words, Options& o) {
  if (auto s = read_time(words.deadline, "--deadline", o.deadline); !s) return s;
  if (auto s = read_time(words.size_time, "--size-time", o.trial.size_limit); !s) return s;
  if (auto s = read_collective(words, o.trial); !s) return s;
  if (auto s = read_sizes(words, o); !s) return s;
  if (auto s = read_pairs(words, o.pairs); !s) return s;
  if (!words.groups) return {};
  auto axes = group_axes(*words.groups);
  if (!axes) return fail(std::move(axes).error());
  o.groups = std::move(*axes);
  return {};
}

}  // namespace topolaunch::bench
