// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_repeats.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/counted.h"

namespace topolaunch::topo {
namespace {

/// How often something was met, and where first.
struct Met {
  int times = 0;
  int line = 0;
  std::string words;

  void again(int at, std::string said) {
    if (times++ > 0) return;
    line = at;
    words = std::move(said);
  }
};

const PairFact* pair_of(const Fact& fact) { return std::get_if<PairFact>(&fact.what); }

void note(std::vector<Fact>& facts, const std::string& file, std::string code, const Met& met,
          std::string message) {
  facts.push_back({{"measured", file, met.line},
                   {},
                   WarningFact{{std::move(code), Warning::Severity::warning, file, met.line,
                                std::move(message)}}});
}

}  // namespace

Status settle_pairs(std::vector<Fact>& facts, const std::string& file) {
  std::map<std::pair<std::string, std::string>, const Fact*> first;
  Met self, repeated;
  const auto refuse = [&file](const Fact& fact, std::string message) {
    return fail(Error{Code::invalid_input, std::move(message), {}, file, fact.origin.line});
  };
  for (const Fact& fact : facts) {
    const PairFact* pair = pair_of(fact);
    if (pair == nullptr) continue;
    const bool distance = pair->of == PairFact::Of::distance;
    if (pair->a == pair->b) {
      if (distance)
        return refuse(fact, fmt::format("'{}' is {} away from itself", pair->a, pair->value));
      self.again(fact.origin.line, pair->a);
      continue;
    }
    const auto [at, added] = first.emplace(std::pair(pair->a, pair->b), &fact);
    const Fact& before = *at->second;
    if (added || pair_of(before)->value == pair->value) continue;
    if (distance) {
      return refuse(
          fact, fmt::format("'{}' is {} away from '{}', and {} on line {}", pair->a, pair->value,
                            pair->b, pair_of(before)->value, before.origin.line));
    }
    repeated.again(fact.origin.line, fmt::format("{} to {} has another value on line {}", pair->a,
                                                 pair->b, before.origin.line));
  }
  if (repeated.times > 0) {
    note(facts, file, "measured-repeated", repeated,
         fmt::format("{} ({} in all): of rates the median counts, of times the smallest",
                     repeated.words, counted(repeated.times, "such row")));
  }
  if (self.times > 0) {
    note(facts, file, "measured-self", self,
         fmt::format("{} is paired with itself ({} in all): that is no pair and passed over",
                     self.words, counted(self.times, "such row")));
    std::erase_if(facts, [](const Fact& fact) {
      return pair_of(fact) != nullptr && pair_of(fact)->a == pair_of(fact)->b;
    });
  }
  return {};
}

}  // namespace topolaunch::topo
