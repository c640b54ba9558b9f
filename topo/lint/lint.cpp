// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/lint.h"

#include <algorithm>
#include <iterator>

#include "topo/assemble.h"
#include "topo/given.h"
#include "topo/lint/against.h"
#include "topo/lint/gres.h"
#include "topo/lint/host_checks.h"
#include "topo/lint/labels.h"
#include "topo/lint/manifest.h"
#include "topo/lint/rules.h"
#include "topo/lint/sbatch.h"
#include "topo/lint/training_job.h"
#include "topo/plain_text.h"

namespace topolaunch::topo {
namespace {

void append(std::vector<Warning>& all, std::vector<Warning> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// The sources that a file's facts are by, each once.
std::vector<SurveyEntry> sources_of(const std::vector<Fact>& facts) {
  std::vector<SurveyEntry> entries;
  for (const Fact& fact : facts) {
    if (std::ranges::find(entries, fact.origin.source, &SurveyEntry::source) == entries.end())
      entries.push_back({fact.origin.source, {}, SurveyEntry::Status::ok, {}});
  }
  return entries;
}

}  // namespace

std::vector<Warning> lint_topology(const Topology& said, const Topology* real) {
  std::vector<Warning> found;
  for (const auto& warning : said.warnings) {
    found.push_back(finding(warning.code, warning.file, warning.line, warning.message));
    if (find_rule(warning.code) == nullptr) found.back().severity = warning.severity;
  }
  append(found, check_topology(said));
  if (real != nullptr) append(found, check_against(said, *real));
  return found;
}

Result<std::vector<Warning>> lint_file(const std::string& text, const std::string& file,
                                       const Topology* real) {
  const Host* host = real != nullptr && !real->hosts.empty() ? &real->hosts.front() : nullptr;
  if (looks_like_gres(text)) {
    const auto lines = read_gres(text, file);
    if (!lines) return tl::unexpected(lines.error());
    return check_gres(*lines, file, host);
  }
  std::vector<Warning> found;
  if (looks_like_labels(text)) {
    auto labels = check_labels(text, file, real);
    if (!labels) return labels;
    found = std::move(*labels);
  }
  auto facts = facts_from_file(text, file, {});
  if (!facts) {
    // A node list that no reader takes for a topology has its labels all the same.
    if (looks_like_labels(text)) return found;
    return tl::unexpected(std::move(facts.error()));
  }
  Survey survey;
  survey.entries = sources_of(*facts);
  survey.facts = std::move(*facts);
  const auto said = assemble(std::move(survey));
  if (!said) return tl::unexpected(said.error());
  append(found, lint_topology(*said, real));
  if (said->hosts.empty() && found.empty())
    found.push_back(finding("names-no-host", file, 0, "no host was found in it"));
  return found;
}

Result<std::vector<Warning>> lint_job(const std::string& text, const std::string& file) {
  const std::string wanted =
      "--job reads sbatch scripts, CreateTrainingJob requests and Kubernetes manifests";
  if (auto plain = plain_text(text, file, "the job request", wanted); !plain)
    return tl::unexpected(std::move(plain.error()));
  if (looks_like_manifest(text)) return check_manifest(text, file);
  if (text[text.find_first_not_of(" \t\r\n")] == '{') {
    if (looks_like_training_job(text)) return check_training_job(text, file);
  } else if (looks_like_sbatch(text)) {
    return check_sbatch(text, file);
  }
  return fail(
      Error{Code::invalid_input, "this is no job request that topolaunch knows", wanted, file, 0});
}

}  // namespace topolaunch::topo
