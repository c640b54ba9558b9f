// SPDX-License-Identifier: Apache-2.0
#include "mapping/solver/solvers.h"

namespace topolaunch::mapping {

bool better(const CostModel::Score& a, const CostModel::Score& b, Constraints::Objective objective) {
  // Sums in another order differ in the last bits: that is no improvement.
  constexpr double kNoise = 1e-9;
  const auto less = [](double x, double y) { return x < y * (1 - kNoise); };
  // What is hidden still takes SMs and memory from what it hides behind: a little is no reason to make
  // it much longer.
  constexpr double kHidden = 0.01;
  const auto time = [](const CostModel::Score& s) { return s.seconds + kHidden * s.hidden; };
  const auto first = objective == Constraints::Objective::time ? std::pair(time(a), time(b))
                                                               : std::pair(a.hop_bytes, b.hop_bytes);
  if (less(first.first, first.second)) return true;
  if (less(first.second, first.first)) return false;
  const auto second = objective == Constraints::Objective::time ? std::pair(a.hop_bytes, b.hop_bytes)
                                                                : std::pair(a.max_link_bytes, b.max_link_bytes);
  return less(second.first, second.second);
}

bool Incumbent::offer(const std::vector<Seat>& seats) {
  const auto score = model_.score(seats);
  if (!better(score, score_, objective_)) return false;
  seats_ = seats;
  score_ = score;
  return true;
}

}  // namespace topolaunch::mapping
