// SPDX-License-Identifier: Apache-2.0
//
// Verdict: whether a run got what was planned, check by check ("topolaunch.verdict/1").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace topolaunch::launcher {

/// could_not_test is no pass: it was to be looked at and could not be. not_applicable has nothing
/// to look at.
enum class Outcome { pass, fail, could_not_test, not_applicable };
std::string_view outcome_name(Outcome outcome);

struct Check {
  std::string name;      ///< "ranks", "cpus", "gpus", "memory", "allreduce", ...
  Outcome verdict = Outcome::not_applicable;
  std::string measured;  ///< with units
  std::string expected;
  std::string source;    ///< where `expected` comes from
  std::string suspect;   ///< rank, host, GPU or link that differs; or why it could not be tested
  double confidence = -1;  ///< that the suspect is the one, 0..1; -1 = not said
  std::string confirm = {};  ///< the test that would settle it
};

struct Verdict {
  std::vector<Check> checks;
  /// fail if any failed; else could_not_test if any could not; else pass if any passed.
  Outcome overall() const;
  const Check* first(Outcome outcome) const;
};

Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(const Json& json, const std::string& file);

}  // namespace topolaunch::launcher
