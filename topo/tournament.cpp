// SPDX-License-Identifier: Apache-2.0
#include "topo/tournament.h"

#include <numeric>
#include <random>

namespace topolaunch::topo {

std::vector<Round> tournament(int hosts, std::uint64_t seed) {
  std::mt19937_64 random(seed);  // its numbers are the standard's; a distribution's are not
  std::vector<int> seat(static_cast<std::size_t>(hosts < 0 ? 0 : hosts));
  std::iota(seat.begin(), seat.end(), 0);
  for (std::size_t i = seat.size(); i > 1; --i) std::swap(seat[i - 1], seat[random() % i]);
  constexpr int kNobody = -1;
  if (seat.size() % 2 != 0) seat.push_back(kNobody);
  std::vector<Round> rounds;
  // The circle method: the first one stays, the others move on by one seat.
  for (std::size_t r = 0; r + 1 < seat.size(); ++r) {
    Round round;
    for (std::size_t i = 0; i < seat.size() / 2; ++i) {
      const int a = seat[i], b = seat[seat.size() - 1 - i];
      if (a != kNobody && b != kNobody) round.emplace_back(a, b);
    }
    rounds.push_back(std::move(round));
    const int last = seat.back();
    seat.pop_back();
    seat.insert(seat.begin() + 1, last);
  }
  return rounds;
}

}  // namespace topolaunch::topo
