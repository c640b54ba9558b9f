// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/commands.h"
#include "launcher/report/closing.h"

namespace topolaunch::launcher {
namespace {

using Row = std::array<std::string, 6>;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return out.empty() ? "-" : out;
}

std::string gpu_cell(const RankPlan& rank) {
  if (rank.gpu_index < 0) return "-";
  return fmt::format("{}{}{}{}{}", rank.gpu_index, rank.gpu_pci.empty() ? "" : " ", rank.gpu_pci,
                     rank.gpu_instance.empty() ? "" : " ", rank.gpu_instance);
}

}  // namespace

std::string plan_table(const Plan& plan) {
  std::vector<Row> rows{{"rank", "host", "gpu", "numa", "cpus", "nics"}};
  for (const RankPlan& rank : plan.ranks) {
    rows.push_back({std::to_string(rank.rank), rank.host, gpu_cell(rank),
                    rank.numa ? std::to_string(*rank.numa) : "-",
                    rank.cpus.empty() ? "not bound" : rank.cpus.to_list(), joined(rank.nics)});
  }
  std::array<std::size_t, 6> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], width[i]);
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  // Notes that many ranks share are said once.
  std::vector<std::string> said;
  for (const RankPlan& rank : plan.ranks) {
    if (rank.note.empty() || std::ranges::find(said, rank.note) != said.end()) continue;
    said.push_back(rank.note);
    out += "note: " + rank.note + "\n";
  }
  return out;
}

std::string dry_run_text(const Story& story,
                         const std::vector<std::vector<std::string>>& commands) {
  const Plan& plan = story.plan;
  std::string out = fmt::format("engine  {} ({})\n", plan.engine, plan.engine_why);
  out += fmt::format("job     {} in {}\n\n", shell_quoted(plan.command), plan.working_directory);
  out += plan_table(plan) + "\n";
  const mapping::Solution& solution = story.solution;
  if (solution.given.seconds.count() > 0 && plan.ranks.size() > 1) {
    out += fmt::format("{}: given order {}, this plan {} ({})\n", story.graph_origin,
                       topolaunch::to_text(solution.given.seconds),
                       topolaunch::to_text(solution.solution.seconds), solution.solution.model);
  }
  if (!solution.gain.possible) out += no_gain_phrase(solution.gain) + "\n";
  for (const std::string& reason : solution.reasons) out += "  " + reason + "\n";
  out += "quota: " + story.quota.words + "\n";
  if (plan.time_limit) out += "time limit: " + topolaunch::to_text(*plan.time_limit) + "\n";
  if (!plan.ranks.empty()) {
    out += "\nvariables of rank 0:\n";
    for (const auto& [name, value] : plan.ranks.front().environment) {
      out += "  " + name + "=" + value + "\n";
    }
  }
  for (const std::string& name : plan.unset) out += "  (" + name + " is taken out)\n";
  out += commands.size() == 1 ? "\nwould run:\n" : "\nwould run, all at once:\n";
  for (const auto& command : commands) out += "  " + shell_quoted(command) + "\n";
  return out;
}

}  // namespace topolaunch::launcher
