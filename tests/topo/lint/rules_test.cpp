// SPDX-License-Identifier: Apache-2.0
//
// Every rule fires on a small bad input and is silent on its good twin, with the severity of the
// table.
#include "topo/lint/rules.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "base/files.h"
#include "tests/topo/facts.h"
#include "tests/topo/lint/rule_cases.h"
#include "topo/given.h"
#include "topo/lint/environment.h"
#include "topo/lint/lint.h"
#include "topo/synthetic.h"

namespace topolaunch::topo {
namespace {

using Findings = std::vector<Warning>;

Topology read(const std::vector<std::string>& texts) {
  Survey survey;
  int number = 0;
  for (const auto& text : texts) {
    Result<std::vector<Fact>> facts = std::vector<Fact>();
    if (text.starts_with("synthetic:")) {
      facts = synthetic_facts(*parse_synthetic(text.substr(10)));
    } else {
      facts = facts_from_file(text, "f" + std::to_string(++number), "n1");
    }
    EXPECT_TRUE(facts.has_value()) << facts.error().text() << "\n" << text;
    if (facts) survey.facts.insert(survey.facts.end(), facts->begin(), facts->end());
  }
  return *assemble(std::move(survey));
}

Findings looked_at(const RuleCase& c, const std::string& text) {
  switch (c.kind) {
    case Kind::two_files:
      return lint_topology(read({text, c.other}), nullptr);
    case Kind::file: {
      auto found = lint_file(text, "f", nullptr);
      EXPECT_TRUE(found.has_value()) << found.error().text();
      return found.value_or(Findings());
    }
    case Kind::against: {
      const Topology real = read({c.other});
      auto found = lint_file(text, "f", &real);
      EXPECT_TRUE(found.has_value()) << found.error().text();
      return found.value_or(Findings());
    }
    case Kind::environment: {
      EnvironmentPlace place;
      const Topology real = c.other.empty() ? Topology() : read({c.other});
      if (!c.other.empty()) place.host = &real.hosts.at(0);
      return check_environment(variables_of(text), place);
    }
    case Kind::job: {
      auto found = lint_job(text, "f");
      EXPECT_TRUE(found.has_value()) << found.error().text();
      return found.value_or(Findings());
    }
  }
  return {};
}

std::vector<RuleCase> cases() {
  auto all = host_rule_cases();
  for (auto& more : job_rule_cases()) all.push_back(std::move(more));
  return all;
}

/// Codes that only a live machine, or a reader's own test, brings about; where that test is.
const std::set<std::string> kElsewhere{
    "affinity-conflict",     // cpu_merge_test
    "numa-unknown",          // cpu_merge_test
    "numa-without-cpus",     // cpu_merge_test
    "numa-crosses-package",  // source/hwloc_test
    "allowed-conflict",      // source/hwloc_test
    "gpu-unreachable",       // source/reachable_test
    "gpu-without-driver",    // source/reachable_test
    "hwloc-xml-version",     // source/hwloc_xml_test
    "switch-loop",           // fabric_merge_test
    "switch-unknown",        // slurm_tree_test
    "slurm-unknown-key",     // slurm_tree_test
    "host-place-unknown",    // fabric_merge_test
    // slurm_fabric_test, slurm_yaml_test, ib_faults_test, kubernetes_test, fabric_fuse_test
    "fabric-conflict", "host-place-second-source", "switch-unknown-parent",
    "nvlink-domain-conflict", "slurm-block-sizes", "slurm-block-small", "slurm-torus-size",
    "slurm-flat", "slurm-other-topologies", "ib-partial", "ib-strange-line", "ib-cut-off",
    "ib-trunk-missing", "ib-link-slow", "ib-host-unnamed", "ib-host-several-leaves",
    "gpu-count-differs", "gpus-not-allocatable", "node-not-ready", "node-unschedulable",
    "nodes-more-pages", "measured-repeated", "measured-self",  // pair_repeats_test
    // measured_fabric_test, odd_pairs_test, pair_csv_test
    "measured-leaves", "measured-unsure", "measured-missing", "measured-slow-host",
    "measured-slow-pair", "measured-one-way",
    "gres-cores-unchecked",  // gres_test
    "not-this-machine",      // source/hwloc_test
    "nvml-call-failed",      // source/nvml_test
    "gpus-left-out",         // source/nvml_test
    "unreadable",            // transcript/lint.test
    "could-not-look",        // transcript/lint.test
};

TEST(LintRules, FireOnTheBadInputAndAreSilentOnItsTwin) {
  for (const auto& c : cases()) {
    const Rule* rule = find_rule(c.code);
    ASSERT_NE(rule, nullptr) << c.code;
    const auto bad = looked_at(c, c.bad);
    EXPECT_GE(count_of(bad, c.code), 1) << c.code << "\n" << c.bad;
    for (const auto& warning : bad) {
      if (warning.code == c.code) {
        EXPECT_EQ(warning.severity, rule->severity) << c.code;
      }
    }
    EXPECT_EQ(count_of(looked_at(c, c.good), c.code), 0) << c.code << "\n" << c.good;
  }
}

TEST(LintRules, AreAllTried) {
  std::set<std::string> tried = kElsewhere;
  for (const auto& c : cases()) tried.insert(c.code);
  std::set<std::string_view> seen;
  for (const auto& rules :
       {host_rules(), file_rules(), fabric_rules(), environment_rules(), job_rules()}) {
    for (const auto& rule : rules) {
      EXPECT_TRUE(tried.contains(std::string(rule.code))) << rule.code << " has no case";
      EXPECT_TRUE(seen.insert(rule.code).second) << rule.code << " stands twice";
      EXPECT_FALSE(rule.why.empty() || rule.next.empty() || rule.source.empty()) << rule.code;
      EXPECT_EQ(rules_markdown().find("| `" + std::string(rule.code) + "` |") == std::string::npos,
                false);
    }
  }
}

TEST(LintRules, AreWhatTheDocumentationHolds) {
  const char* root = std::getenv("TOPOLAUNCH_SOURCE_DIR");
  if (root == nullptr) GTEST_SKIP() << "TOPOLAUNCH_SOURCE_DIR is not set";
  const auto text = RootedFiles(root).read("/docs/lint.md", 1 << 20);
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find(rules_markdown()), std::string::npos)
      << "docs/lint.md is old; its tables come from: topolaunch lint --rules";
}

}  // namespace
}  // namespace topolaunch::topo
