// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/culprit_checks.h"

#include <fmt/format.h>

namespace topolaunch::launcher {

std::vector<Check> culprit_checks(const std::string& name, const bench::Findings& findings,
                                  const std::string& source) {
  Check check;
  check.name = name;
  check.expected = "as fast as others of its kind";
  check.source = source;
  if (!findings.judged) {
    check.verdict = Outcome::could_not_test;
    check.suspect = findings.why_not;
    return {check};
  }
  if (findings.culprits.empty()) {
    check.verdict = Outcome::pass;
    check.measured = "nothing stands out";
    return {check};
  }
  std::vector<Check> checks;
  for (const bench::Culprit& culprit : findings.culprits) {
    Check one = check;
    one.verdict = Outcome::fail;
    one.measured = culprit.evidence;
    one.suspect = culprit.name;
    one.confidence = culprit.confidence;
    one.confirm = culprit.confirm;
    checks.push_back(std::move(one));
  }
  return checks;
}

std::vector<Check> check_culprits(const bench::Measurement& measurement) {
  std::vector<Check> checks;
  if (measurement.pairs) {
    checks =
        culprit_checks("pairs", bench::culprits_of_pairs(measurement), "elimination over pairs");
  }
  if (!measurement.groups.empty()) {
    for (Check& check : culprit_checks("groups", bench::culprits_of_groups(measurement),
                                       "elimination over groups")) {
      // Two groups have nothing to be held against: no blemish, there is nothing to look at.
      if (check.verdict == Outcome::could_not_test) check.verdict = Outcome::not_applicable;
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

}  // namespace topolaunch::launcher
