// SPDX-License-Identifier: Apache-2.0
//
// PairTable: what was measured between hosts, as one square matrix of "how far apart": the
// logarithm of time a byte, of latency, or of a distance, so that factors weigh the same in all of
// them. Of several values of a direction the smallest latency counts (medians drown in the
// scheduler's noise) and the median bandwidth. Of the two directions the better one.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

class PairTable {
 public:
  /// `of`: which kind of pair counts; others are passed over.
  PairTable(const std::vector<PairFact>& pairs, PairFact::Of of);

  const std::vector<std::string>& hosts() const { return hosts_; }  ///< in order of mention
  std::size_t size() const { return hosts_.size(); }
  /// NaN where the pair was not measured.
  double far(std::size_t a, std::size_t b) const { return far_[a * hosts_.size() + b]; }
  bool known(std::size_t a, std::size_t b) const { return !std::isnan(far(a, b)); }
  /// Pairs with a value, of all n (n - 1) / 2.
  std::size_t measured() const;
  /// How far each direction lies apart, for pairs that have both: log of the ratio, 0 otherwise.
  double asymmetry(std::size_t a, std::size_t b) const { return asymmetry_[a * hosts_.size() + b]; }

 private:
  std::vector<std::string> hosts_;
  std::vector<double> far_, asymmetry_;
};

}  // namespace topolaunch::topo
