// SPDX-License-Identifier: Apache-2.0
//
// Claims: what several sources say about one field, with their origins; the most trusted one wins
// and those that differ are heard.
#pragma once

#include <utility>
#include <vector>

#include "topo/trust.h"

namespace topolaunch::topo {

template <class T>
struct Claim {
  T value;
  Origin origin;
};

template <class T>
class Claims {
 public:
  void add(T value, const Origin& origin) { claims_.push_back({std::move(value), origin}); }
  bool empty() const { return claims_.empty(); }
  template <class Visit>  // called with (value, origin)
  void for_each(Visit visit) const {
    for (const auto& claim : claims_) visit(claim.value, claim.origin);
  }
  /// The most trusted claim, the earliest among equals; nullptr if there is none.
  const Claim<T>* best(Field field) const {
    const Claim<T>* found = nullptr;
    for (const auto& claim : claims_) {
      if (found == nullptr || trust_rank(field, claim.origin) < trust_rank(field, found->origin)) {
        found = &claim;
      }
    }
    return found;
  }
  T value_or(Field field, T fallback) const {
    const auto* claim = best(field);
    return claim == nullptr ? std::move(fallback) : claim->value;
  }
  /// The most trusted claim of another source that says something else; nullptr if all agree.
  template <class Equal>
  const Claim<T>* dissent(Field field, Equal equal) const {
    const auto* winner = best(field);
    if (winner == nullptr) return nullptr;
    const Claim<T>* found = nullptr;
    for (const auto& claim : claims_) {
      if (&claim == winner || equal(claim.value, winner->value)) continue;
      if (found == nullptr || trust_rank(field, claim.origin) < trust_rank(field, found->origin)) {
        found = &claim;
      }
    }
    return found;
  }
  const Claim<T>* dissent(Field field) const {
    return dissent(field, [](const T& a, const T& b) { return a == b; });
  }

 private:
  std::vector<Claim<T>> claims_;
};

}  // namespace topolaunch::topo
