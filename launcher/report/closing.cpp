// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/closing.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/counted.h"
#include "bench/measurement.h"
#include "launcher/machine.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {
namespace {

/// "0-7" for consecutive GPU numbers in rank order, else "0,3,1,2"; cut after 16.
std::string gpu_list(const std::vector<int>& gpus) {
  bool consecutive = gpus.size() > 2;
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    consecutive = consecutive && gpus[i] == gpus[i - 1] + 1;
  }
  if (consecutive) return fmt::format("{}-{}", gpus.front(), gpus.back());
  std::string out;
  for (std::size_t i = 0; i < gpus.size() && i < 16; ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ",", gpus[i]);
  }
  return gpus.size() > 16 ? out + ",.." : out;
}

/// "NVIDIA H100 80GB HBM3" -> "H100 80GB HBM3"
std::string short_model(std::string model) {
  for (const std::string_view vendor : {"NVIDIA ", "AMD ", "Tesla "}) {
    if (model.starts_with(vendor)) model.erase(0, vendor.size());
  }
  return model;
}

std::string cut(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : text.substr(0, columns - 2) + "..";
}

std::string cpu_phrase(const Plan& plan) {
  CpuSet all;
  bool shared = false;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.cpus.empty()) return "not bound";
    shared = shared || all.intersects(rank.cpus);
    all = all | rank.cpus;
  }
  const std::string list = cut(all.to_list(), 24);
  const std::string noun = all.size() == 1 ? "CPU " : "CPUs ";
  if (plan.ranks.size() == 1) return noun + list;
  if (shared) return noun + list + " shared";
  return noun + list + fmt::format(" ({} a rank)", plan.ranks.front().cpus.size());
}

std::string placed_line(const Story& story) {
  std::string line = "placed  " + placed_phrase(story.plan);
  const bool has_gpus = std::ranges::any_of(
      story.plan.ranks, [](const RankPlan& rank) { return rank.gpu_index >= 0; });
  if (!has_gpus) return line + "; " + cut(why_no_gpu(story.topology), 60);
  const mapping::Gain& gain = story.solution.gain;
  if (!gain.possible) return line + "; " + no_gain_phrase(gain);
  const double given = story.solution.given.seconds.count();
  if (given > 0) {
    line += fmt::format("; {:.0f} % less than the given order",
                        100 * gain.seconds.count() / given);
  }
  return gain.why.empty() ? line : line + ": " + gain.why;
}

/// A measurement that is held against an estimate alone, or nothing, proves no speed.
bool speed_was_judged(const Story& story) {
  return !story.measurement || std::ranges::none_of(story.verdict.checks, [&](const Check& check) {
    return check.name == story.measurement->collective && check.verdict == Outcome::not_applicable;
  });
}

std::string compared_line(const Story& story) {
  const mapping::Estimate& estimate = story.solution.solution;
  std::string line = "speed   ";
  const auto* const top = story.measurement ? largest(*story.measurement) : nullptr;
  if (top == nullptr) {
    if (story.plan.ranks.size() == 1) {
      line += "one rank: nothing to exchange";
    } else if (estimate.seconds.count() > 0) {
      line += fmt::format("{} estimated at {} ({})", story.graph_origin,
                          topolaunch::to_text(estimate.seconds), estimate.model);
    } else {
      line += "no estimate: no bandwidth is known";
    }
    if (!story.not_measured.empty()) line += "; not measured: " + story.not_measured;
  } else {
    line += fmt::format("{} {} in {}", topolaunch::to_text(Bytes(top->size)),
                        story.measurement->collective,
                        topolaunch::to_text(top->out_of_place.time));
    if (story.measured_estimate) {
      line += fmt::format(", estimate {}", topolaunch::to_text(*story.measured_estimate));
    }
    line += fmt::format(" ({})", story.measurement->backend);
  }
  if (const Check* const bad = story.verdict.first(Outcome::fail)) {
    line += fmt::format("; check '{}' FAILED: {}", bad->name, bad->suspect);
  } else if (const Check* const unknown = story.verdict.first(Outcome::could_not_test)) {
    line += fmt::format("; '{}' could not be tested: {}", unknown->name, unknown->suspect);
  } else if (!story.verdict.checks.empty()) {
    const auto passed = std::ranges::count(story.verdict.checks, Outcome::pass, &Check::verdict);
    line += fmt::format("; {} passed", counted(passed, "check"));
    if (!speed_was_judged(story)) line += ", none of them of the speed";
  }
  return line;
}

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : fmt::format("signal {}", signal);
}

}  // namespace

std::string no_gain_phrase(const mapping::Gain& gain) {
  return gain.why.starts_with("no gain possible") ? gain.why : "no gain possible: " + gain.why;
}

std::string placed_phrase(const Plan& plan) {
  const std::string ranks = counted(plan.ranks.size(), "rank");
  const std::string where =
      plan.hosts.size() == 1 ? plan.hosts.front() : counted(plan.hosts.size(), "host");
  std::vector<int> gpus;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.gpu_index >= 0) gpus.push_back(rank.gpu_index);
  }
  if (gpus.empty()) return fmt::format("{} on {}, {}", ranks, where, cpu_phrase(plan));
  const std::string model = short_model(plan.ranks.front().gpu_model);
  if (plan.hosts.size() > 1) return fmt::format("{} on GPUs of {}", ranks, where);
  return fmt::format("{} on GPU{} {} of {}{}", ranks, gpus.size() == 1 ? "" : "s", gpu_list(gpus),
                     where, model.empty() ? "" : " (" + model + ")");
}

std::string failure_phrase(const Plan& plan, const RankEnding& failure) {
  std::string out = fmt::format("rank {} on {}", failure.rank, failure.host);
  for (const RankPlan& rank : plan.ranks) {
    if (rank.rank != failure.rank || rank.gpu_index < 0) continue;
    out += fmt::format(" (GPU {}{}{})", rank.gpu_index, rank.gpu_pci.empty() ? "" : ", ",
                       rank.gpu_pci);
  }
  if (failure.signal != 0) {
    out += ": killed by " + signal_name(failure.signal);
  } else {
    out += fmt::format(": exit {}", failure.exit_status);
  }
  if (failure.out_of_memory) out += ", out of memory";
  return out;
}

std::string ending_phrase(const Story& story) {
  const Ending& ending = story.ending;
  std::string out = fmt::format("exit {}", ending.exit_status);
  if (ending.first_failure) {
    out += ": " + failure_phrase(story.plan, *ending.first_failure);
    if (!ending.cause.empty() && ending.by != Ending::By::job) out += "; " + ending.cause;
  } else if (!ending.cause.empty()) {
    out += ": " + ending.cause;
  }
  return out;
}

std::vector<std::string> closing_lines(const Story& story) {
  std::string ended = "ended   " + ending_phrase(story) + " after " +
                      topolaunch::to_text(story.ending.elapsed);
  if (!story.directory.empty()) {
    ended += "; files: " + story.directory;
  } else if (!story.no_directory.empty()) {
    ended += "; no files: " + story.no_directory;
  }
  return {placed_line(story), compared_line(story), "quota   " + story.quota.words, ended};
}

}  // namespace topolaunch::launcher
