// SPDX-License-Identifier: Apache-2.0
//
// The rules of `topolaunch lint`, one row each: what a finding of that code means, how much it
// weighs, what to do about it and who says so. docs/lint.md is this table; a test fires every rule.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/topology.h"

namespace topolaunch::topo {

struct Rule {
  std::string_view code;
  Warning::Severity severity;
  std::string_view why;     ///< why it matters
  std::string_view next;    ///< what to do
  std::string_view source;  ///< who says so
};

/// Of one host, of files, of fabrics, of the environment, of job requests; in that order.
std::span<const Rule> host_rules();
std::span<const Rule> file_rules();
std::span<const Rule> fabric_rules();
std::span<const Rule> environment_rules();
std::span<const Rule> job_rules();

/// nullptr for a code that the table doesn't hold.
const Rule* find_rule(std::string_view code);

/// A finding with the severity of its rule (a warning if it has none).
Warning finding(std::string code, std::string file, int line, std::string message);

/// The tables as docs/lint.md holds them.
std::string rules_markdown();

}  // namespace topolaunch::topo
