// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/commands.h"
#include "base/counted.h"
#include "launcher/report/page/json_look.h"

namespace topolaunch::launcher {
namespace {

using page::number_at;
using page::text_at;

std::string row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + markdown_words(cell) + " |";
  return out + "\n";
}

std::string table(const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string out = row(headings) + "|";
  for (std::size_t i = 0; i < headings.size(); ++i) out += " --- |";
  out += "\n";
  for (const auto& cells : rows) out += row(cells);
  return out + "\n";
}

std::string rate(double value) {
  return value > 0 ? topolaunch::to_text(Bandwidth::bytes_per_second(value)) : "";
}

std::string bandwidths(const SavedRun& run, const SavedRun* before) {
  if (!run.measurement) return "Not measured.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const bench::SizeResult& result : run.measurement->results) {
    const bench::Timing& timing = result.out_of_place;
    std::string then;
    if (before != nullptr && before->measurement) {
      for (const bench::SizeResult& other : before->measurement->results) {
        if (other.size == result.size) then = rate(other.out_of_place.busbw);
      }
    }
    rows.push_back({topolaunch::to_text(Bytes(result.size)), topolaunch::to_text(timing.p50),
                    topolaunch::to_text(timing.p99), rate(timing.busbw), then,
                    timing.wrong < 0 ? "not checked" : std::to_string(timing.wrong)});
  }
  return fmt::format("{} over {}, {} {}:\n\n", markdown_words(run.measurement->collective),
                     counted(run.measurement->ranks, "rank"),
                     markdown_words(run.measurement->backend),
                     markdown_words(run.measurement->backend_version)) +
         table({"size", "p50", "p99", "busbw", before != nullptr ? "before" : "", "wrong"}, rows);
}

}  // namespace

std::string markdown_words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (std::string_view("\\`*_{}[]()#!|~").find(c) != std::string_view::npos)
      out += {'\\', c};
    else if (code < 0x20 || code == 0x7F)
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string run_markdown(const SavedRun& run, const SavedRun* before) {
  const Json& manifest = *run.manifest;
  std::string out = fmt::format("## topolaunch run {}: {}\n\n", markdown_words(run.plan.id),
                                run.verdict ? outcome_name(run.verdict->overall()) : "no verdict");
  for (const std::string& line : run.closing) out += "- " + markdown_words(line) + "\n";
  if (!run.closing.empty()) out += "\n";
  std::vector<std::vector<std::string>> rows;
  if (run.verdict) {
    for (const Check& check : run.verdict->checks) {
      rows.push_back({std::string(outcome_name(check.verdict)), check.name, check.measured,
                      check.expected, check.source, check.suspect});
    }
  }
  out += table({"verdict", "check", "measured", "expected", "source", "suspect"}, rows);
  out += bandwidths(run, before);
  rows.clear();
  constexpr std::size_t kMostRanks = 64;
  for (const RankPlan& rank : run.plan.ranks) {
    if (rows.size() == kMostRanks) break;
    rows.push_back({std::to_string(rank.rank), rank.host,
                    rank.gpu_index < 0 ? "" : fmt::format("{} {}", rank.gpu_index, rank.gpu_pci),
                    rank.numa ? std::to_string(*rank.numa) : "",
                    rank.cpus.empty() ? "not bound" : rank.cpus.to_list()});
  }
  out += table({"rank", "host", "GPU", "NUMA", "CPUs"}, rows);
  if (run.plan.ranks.size() > kMostRanks) {
    out += fmt::format("and {} more ranks\n\n", run.plan.ranks.size() - kMostRanks);
  }
  rows.clear();
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) rows.push_back({name, value});
  };
  if (const double started = number_at(manifest, {"when", "started"}); started > 0) {
    fact("started", iso8601(page::whole(started)));
  }
  fact("topolaunch", text_at(manifest, {"topolaunch"}));
  fact("kernel", text_at(manifest, {"where", "kernel"}));
  fact("engine", run.plan.engine);
  fact("commit", text_at(manifest, {"what", "git_commit"}));
  fact("placement", text_at(manifest, {"placement", "sha256"}));
  fact("command", shell_quoted(run.plan.command));
  if (before != nullptr) fact("compared with", before->plan.id);
  return out + table({"what", "value"}, rows);
}

}  // namespace topolaunch::launcher
