// SPDX-License-Identifier: Apache-2.0
#include "bench/elimination.h"

#include <algorithm>
#include <cmath>

#include "bench/statistics.h"

namespace topolaunch::bench {
namespace {

constexpr double kFailed = -4.6;  // log of a hundredth: as slow as anything is taken for
constexpr double kLeastScatter = 0.02;
/// Of a part's samples have to be slow. All would be on a quiet machine; with half of them, and times
/// that have two modes, chance is enough.
constexpr double kMost = 0.7;
/// One false alarm in so many machines, all parts of one together.
constexpr double kFalseAlarms = 0.002;

struct Level {
  double log = 0, scatter = kLeastScatter;
};

/// The fastest dense bunch: of all windows over two fifths of the sorted values, the highest that
/// is at most half as wide again as the narrowest.
Level healthy_level(std::vector<double> logs) {
  std::sort(logs.begin(), logs.end());
  const std::size_t window = std::max<std::size_t>(3, (logs.size() * 2 + 4) / 5);
  const auto width = [&](std::size_t at) { return logs[at + window - 1] - logs[at]; };
  double narrowest = width(0);
  for (std::size_t i = 0; i + window <= logs.size(); ++i) narrowest = std::min(narrowest, width(i));
  std::size_t best = 0;
  for (std::size_t i = 0; i + window <= logs.size(); ++i) {
    if (width(i) <= narrowest * 1.5 + kLeastScatter / 2) best = i;
  }
  const std::vector<double> bunch(logs.begin() + static_cast<std::ptrdiff_t>(best),
                                  logs.begin() + static_cast<std::ptrdiff_t>(best + window));
  // Two fifths of a normal distribution around its middle are 1.05 standard deviations wide. A few
  // values scatter less than those they stand for.
  const double few = 1 + 8 / static_cast<double>(logs.size());
  return {median(bunch), std::max(width(best) / 1.05 * few, kLeastScatter)};
}

class Search {
 public:
  Search(const std::vector<Sample>& samples, std::size_t parts) : by_part_(parts) {
    int kinds = 0;
    for (const Sample& s : samples) kinds = std::max(kinds, s.kind + 1);
    std::vector<std::vector<double>> logs(static_cast<std::size_t>(kinds));
    for (const Sample& s : samples) {
      if (s.value > 0) logs[static_cast<std::size_t>(s.kind)].push_back(std::log(s.value));
    }
    std::vector<Level> levels(logs.size());
    found_.healthy.assign(logs.size(), 0);
    for (std::size_t k = 0; k < logs.size(); ++k) {
      if (logs[k].size() < kFewest) continue;
      levels[k] = healthy_level(logs[k]);
      found_.healthy[k] = std::exp(levels[k].log);
    }
    for (const Sample& s : samples) {
      const Level& level = levels[static_cast<std::size_t>(s.kind)];
      if (found_.healthy[static_cast<std::size_t>(s.kind)] <= 0) {
        ++found_.not_judged;
        continue;
      }
      ++found_.judged;
      for (const std::size_t part : s.parts) by_part_[part].push_back(loss_.size());
      loss_.push_back(s.value > 0 ? std::max(std::log(s.value) - level.log, kFailed) : kFailed);
      scatter_.push_back(level.scatter);
      explained_.push_back(0);
    }
    far_ = std::sqrt(2 *
                     std::log(static_cast<double>(std::max<std::size_t>(parts, 1)) / kFalseAlarms));
  }

  Elimination run() {
    for (;;) {
      double most = 0, its_loss = 0;
      std::size_t best = by_part_.size();
      for (std::size_t part = 0; part < by_part_.size(); ++part) {
        double loss = 0;
        const double gain = explains(part, loss);
        // Of parts that explain as much the one that goes over fewer samples: it claims less.
        const bool closer = best < by_part_.size() && gain > most * 0.999 &&
                            by_part_[part].size() < by_part_[best].size();
        if (gain > most * 1.001 || closer) most = gain, best = part, its_loss = loss;
      }
      if (best == by_part_.size()) break;
      blame(best, its_loss);
    }
    for (std::size_t s = 0; s < loss_.size(); ++s) {
      found_.unexplained += loss_[s] < std::log(kFarApart) && explained_[s] > loss_[s] / 2 ? 1 : 0;
      found_.above += loss_[s] > -std::log(kFarApart) ? 1 : 0;
    }
    return std::move(found_);
  }

 private:
  /// How much less would be unexplained if the part were to blame; 0 if it can't be.
  double explains(std::size_t part, double& loss) const {
    const auto& samples = by_part_[part];
    if (samples.empty()) return 0;
    std::vector<double> losses;
    double scatter = 0;
    for (const std::size_t s : samples) {
      losses.push_back(loss_[s]);
      scatter = std::max(scatter, scatter_[s]);
    }
    loss = median(losses);
    if (loss > std::log(kMildest)) return 0;
    const double n = static_cast<double>(samples.size());
    const double uncertain = scatter * (samples.size() > 2 ? 1.25 / std::sqrt(n) : 1);
    if (-loss < far_ * uncertain) return 0;
    double gain = 0;
    int slow = 0, fresh = 0;
    for (const std::size_t s : samples) {
      const double now = std::min(explained_[s], loss);
      gain += (std::abs(loss_[s] - explained_[s]) - std::abs(loss_[s] - now)) / scatter_[s];
      const bool is_slow = loss_[s] < loss / 2;
      slow += is_slow ? 1 : 0;
      fresh += is_slow && explained_[s] > loss / 2 ? 1 : 0;
    }
    if (slow < kMost * n || fresh == 0) return 0;
    if (slow_elsewhere(part, loss) > slow / n / 2) return 0;
    return std::max(gain, 0.0);
  }

  /// Of the samples that go another way and that nobody explains yet, the fraction that is as slow.
  /// A part whose samples are no slower than others' is not what makes them so: the machine has two
  /// kinds of path, and nobody said which is which.
  double slow_elsewhere(std::size_t part, double loss) const {
    std::size_t slow = 0;
    const auto counts = [&](std::size_t s) {
      return loss_[s] < loss / 2 && explained_[s] > loss / 2;
    };
    for (std::size_t s = 0; s < loss_.size(); ++s) slow += counts(s) ? 1U : 0U;
    for (const std::size_t s : by_part_[part]) slow -= counts(s) ? 1U : 0U;
    const std::size_t others = loss_.size() - by_part_[part].size();
    return others == 0 ? 0 : static_cast<double>(slow) / static_cast<double>(others);
  }

  void blame(std::size_t part, double loss) {
    Blame b;
    b.part = part;
    b.ratio = std::exp(loss);
    b.all = static_cast<int>(by_part_[part].size());
    for (const std::size_t s : by_part_[part]) {
      b.slow += loss_[s] < loss / 2 ? 1 : 0;
      b.failed += loss_[s] <= kFailed ? 1 : 0;
      explained_[s] = std::min(explained_[s], loss);
    }
    for (std::size_t other = 0; other < by_part_.size(); ++other) {
      if (other != part && by_part_[other] == by_part_[part]) b.or_part.push_back(other);
    }
    found_.blames.push_back(std::move(b));
  }

  std::vector<std::vector<std::size_t>> by_part_;   ///< samples over each part
  std::vector<double> loss_, scatter_, explained_;  ///< logs, of each judged sample
  double far_ = 4;                                  ///< so many scatters can't be chance
  Elimination found_;
};

}  // namespace

Elimination eliminate(const std::vector<Sample>& samples, std::size_t parts) {
  return Search(samples, parts).run();
}

}  // namespace topolaunch::bench
