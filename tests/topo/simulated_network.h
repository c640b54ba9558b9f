// SPDX-License-Identifier: Apache-2.0
//
// A network of leaves below one spine, as rates that flows get when they share links fairly, with
// the noise of a real measurement: every value a few percent off, some far too low.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "topo/tournament.h"

namespace topolaunch::topo {

struct SimulatedNetwork {
  std::vector<int> leaf;  ///< of each host
  double host_rate = 200, uplink_rate = 200;
  double noise = 0.05, accidents = 0.02;
  std::mt19937_64 random{1};

  /// `sizes` hosts a leaf; which host is on which leaf is drawn.
  SimulatedNetwork(const std::vector<int>& sizes, double uplink, std::uint64_t seed)
      : uplink_rate(uplink), random(seed) {
    for (std::size_t l = 0; l < sizes.size(); ++l)
      leaf.insert(leaf.end(), static_cast<std::size_t>(sizes[l]), static_cast<int>(l));
    for (std::size_t i = leaf.size(); i > 1; --i) std::swap(leaf[i - 1], leaf[random() % i]);
  }

  std::vector<std::string> hosts() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < leaf.size(); ++i) names.push_back("h" + std::to_string(i));
    return names;
  }
  double uniform() { return static_cast<double>(random() >> 11) / 9007199254740992.0; }
  double noisy(double rate) {
    const double normal =
        std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
    return rate * std::exp(noise * normal) * (uniform() < accidents ? 0.3 + 0.5 * uniform() : 1.0);
  }

  /// What each pair of the round gets in its slower direction, all at once and both ways.
  std::vector<double> bandwidth(const Round& pairs) {
    Round both = pairs;
    for (const auto& [a, b] : pairs) both.emplace_back(b, a);
    const std::vector<double> rates = flows(both);
    std::vector<double> slower;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      slower.push_back(noisy(std::min(rates[i], rates[pairs.size() + i])) * 1e6);
    return slower;
  }

  /// Rates of flows (from, to): the fullest link is shared out first.
  std::vector<double> flows(const Round& round) const {
    struct Link {
      double left;
      std::vector<std::size_t> flows;
    };
    std::map<std::pair<int, int>, Link> links;
    const auto at = [&](int kind, int number, double rate, std::size_t flow) {
      links.try_emplace({kind, number}, Link{rate, {}}).first->second.flows.push_back(flow);
    };
    for (std::size_t f = 0; f < round.size(); ++f) {
      const auto [from, to] = round[f];
      at(0, from, host_rate, f);
      at(1, to, host_rate, f);
      const int up = leaf[static_cast<std::size_t>(from)],
                down = leaf[static_cast<std::size_t>(to)];
      if (up == down) continue;
      at(2, up, uplink_rate, f);
      at(3, down, uplink_rate, f);
    }
    std::vector<double> rate(round.size(), 0);
    std::vector<bool> done(round.size(), false);
    while (std::count(done.begin(), done.end(), false) > 0) {
      double least = 1e300;
      const Link* tight = nullptr;
      for (const auto& [name, link] : links) {
        const auto open = std::count_if(link.flows.begin(), link.flows.end(),
                                        [&](std::size_t f) { return !done[f]; });
        if (open == 0) continue;
        double used = 0;
        for (const auto f : link.flows) used += done[f] ? rate[f] : 0;
        const double share = (link.left - used) / static_cast<double>(open);
        if (share < least) {
          least = share;
          tight = &link;
        }
      }
      for (const auto f : tight->flows) {
        if (!done[f]) rate[f] = least;
        done[f] = true;
      }
    }
    return rate;
  }

  /// Whether `found` puts hosts together exactly as the leaves do.
  bool is(const std::vector<int>& found) const {
    for (std::size_t a = 0; a < leaf.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if ((leaf[a] == leaf[b]) != (found[a] == found[b])) return false;
      }
    }
    return true;
  }
};

}  // namespace topolaunch::topo
