// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/rules.h"

#include <fmt/format.h>

#include <array>

#include "topo/topology_words.h"

namespace topolaunch::topo {
namespace {

struct Table {
  std::string_view title;
  std::span<const Rule> rules;
};

std::array<Table, 5> tables() {
  return {{{"A host", host_rules()},
           {"Files", file_rules()},
           {"Fabrics and measurements", fabric_rules()},
           {"The environment (`--env`)", environment_rules()},
           {"Job requests (`--job`)", job_rules()}}};
}

}  // namespace

const Rule* find_rule(std::string_view code) {
  for (const auto& table : tables()) {
    for (const auto& rule : table.rules) {
      if (rule.code == code) return &rule;
    }
  }
  return nullptr;
}

Warning finding(std::string code, std::string file, int line, std::string message) {
  const Rule* rule = find_rule(code);
  const auto severity = rule == nullptr ? Warning::Severity::warning : rule->severity;
  return {std::move(code), severity, std::move(file), line, std::move(message)};
}

std::string rules_markdown() {
  std::string out;
  for (const auto& table : tables()) {
    out += fmt::format(
        "## {}\n\n| code | severity | why it matters | what to do | source |\n"
        "|---|---|---|---|---|\n",
        table.title);
    for (const auto& rule : table.rules) {
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.code, word(rule.severity), rule.why,
                         rule.next, rule.source);
    }
    out += '\n';
  }
  out.pop_back();
  return out;
}

}  // namespace topolaunch::topo
