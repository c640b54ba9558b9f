// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/lint.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/input_file.h"
#include "base/json.h"
#include "launcher/machine.h"
#include "topo/given.h"
#include "topo/lint/environment.h"
#include "topo/lint/lint.h"
#include "topo/lint/rules.h"
#include "topo/plain_text.h"
#include "topo/topology_words.h"

namespace topolaunch::launcher {
namespace {

using Findings = std::vector<topo::Warning>;

constexpr const char* kVariablesWanted = "--env reads lines NAME=VALUE, as env prints them";

class Lint {
 public:
  Lint(const LintOptions& options, const Outside& outside) : options_(options), outside_(outside) {}

  Result<Answer> run() {
    std::vector<std::string> files = options_.topology.topologies;
    files.insert(files.end(), options_.files.begin(), options_.files.end());
    if (!options_.against.empty()) {
      auto real = look(options_.against == "live" ? "" : options_.against);
      if (!real) return fail(std::move(real).error());
      real_ = std::move(*real);
    }
    if (options_.environment) {
      if (!real_) {
        if (auto live = look(""); live) real_ = std::move(*live);
      }
      if (files.empty()) own_environment();
    } else if (options_.job && files.empty()) {
      return fail(Code::wrong_usage, "--job wants a file",
                  "topolaunch lint --job job.sbatch|request.json|manifest.yaml");
    } else if (files.empty()) {
      topology("");
    }
    for (const std::string& file : files) one(file);
    return answer();
  }

 private:
  const topo::Topology* real() const { return real_ ? &*real_ : nullptr; }

  /// An empty argument is this machine.
  Result<topo::Topology> look(const std::string& argument) const {
    TopologyOptions only = options_.topology;
    only.topologies.clear();
    if (!argument.empty()) only.topologies = {argument};
    return look_at(only, outside_);
  }

  void keep(Findings findings, const std::string& file) {
    for (topo::Warning& finding : findings) {
      if (finding.file.empty()) finding.file = file;
      findings_.push_back(std::move(finding));
    }
  }

  void unreadable(const Error& error, const std::string& file) {
    status_ = std::max(
        status_, exit_status(error.code == Code::unavailable ? error.code : Code::invalid_input));
    findings_.push_back(
        topo::finding(error.code == Code::unavailable ? "could-not-look" : "unreadable",
                      error.file.empty() ? file : error.file, error.line,
                      error.message + (error.next.empty() ? "" : "; " + error.next)));
  }

  void topology(const std::string& argument) {
    const auto said = look(argument);
    if (!said) return unreadable(said.error(), argument);
    keep(topo::lint_topology(*said, real()), argument);
  }

  static Error no_variables() {
    return {Code::invalid_input, "no line of it sets a variable", kVariablesWanted, {}, 0};
  }

  void own_environment() {
    std::vector<topo::Variable> variables;
    for (const auto& [name, value] : outside_.environment.variables())
      variables.push_back({name, value, 0});
    environment(variables, {});
  }

  void environment(const std::vector<topo::Variable>& variables, const std::string& file) {
    topo::EnvironmentPlace place;
    place.file = file;
    if (real_ && real_->hosts.size() == 1) place.host = &real_->hosts.front();
    keep(topo::check_environment(variables, place), file);
  }

  void one(const std::string& file) {
    if (!topo::is_whole_file(file, outside_.files)) return topology(file);
    const auto text = read_input(outside_.files, file);
    if (!text) return unreadable(text.error(), file);
    if (options_.environment) {
      const auto plain = topo::plain_text(*text, file, "the list of variables", kVariablesWanted);
      if (!plain) return unreadable(plain.error(), file);
      const auto variables = topo::variables_of(*text);
      if (variables.empty()) return unreadable(no_variables(), file);
      return environment(variables, file);
    }
    auto found = options_.job ? topo::lint_job(*text, file) : topo::lint_file(*text, file, real());
    if (!found) return unreadable(found.error(), file);
    keep(std::move(*found), file);
  }

  Answer answer() const {
    const bool bad = std::ranges::any_of(findings_, [](const topo::Warning& finding) {
      return finding.severity != topo::Warning::Severity::note;
    });
    return {options_.json ? json() : text(), std::max(status_, bad ? 1 : 0)};
  }

  std::string text() const {
    if (findings_.empty()) return "no findings\n";
    std::string out;
    std::set<std::string> explained;
    for (const topo::Warning& finding : findings_) {
      out += topo::place_of(finding);
      out += std::string(topo::word(finding.severity)) + ": " + finding.message + " [" +
             finding.code + "]\n";
      const topo::Rule* rule = topo::find_rule(finding.code);
      if (rule == nullptr || rule->source == "-" || !explained.insert(finding.code).second)
        continue;
      out += "    " + std::string(rule->why) + "\n    next: " + std::string(rule->next) + " (" +
             std::string(rule->source) + ")\n";
    }
    return out;
  }

  std::string json() const {
    Json out;
    out["schema"] = "topolaunch.lint/1";
    out["findings"] = Json::array();
    for (const topo::Warning& finding : findings_) {
      Json entry{{"code", finding.code},
                 {"severity", topo::word(finding.severity)},
                 {"file", finding.file},
                 {"line", finding.line},
                 {"message", finding.message}};
      if (const topo::Rule* rule = topo::find_rule(finding.code)) {
        entry["why"] = rule->why;
        entry["next"] = rule->next;
        entry["source"] = rule->source;
      }
      out["findings"].push_back(std::move(entry));
    }
    return to_pretty(out);
  }

  const LintOptions& options_;
  const Outside& outside_;
  std::optional<topo::Topology> real_;
  Findings findings_;
  int status_ = 0;
};

}  // namespace

Result<Answer> lint_verb(const LintOptions& options, const Outside& outside) {
  if (options.rules) return Answer{topo::rules_markdown(), 0};
  if (options.environment && options.job) {
    return fail(Code::wrong_usage, "--env and --job exclude each other",
                "lint one, then the other");
  }
  return Lint(options, outside).run();
}

}  // namespace topolaunch::launcher
