// SPDX-License-Identifier: Apache-2.0
//
// Which part of a machine explains what is slow? Each sample went over some parts (a host, a link,
// a leaf's uplink); a slow part makes all samples over it slow and no other. What is left of that
// idea under noise:
//   - what healthy samples reach, and how far they scatter, is read from the samples themselves:
//   the
//     fastest dense bunch of each kind, so that half of them may be slow;
//   - parts are blamed one after the other, each time the one that explains most; a part is blamed
//     only if its samples are slow beyond the scatter, most of them, by kMildest at least, and
//     twice as often as those that go another way;
//   - samples that a blamed part explains speak against no other part.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace topolaunch::bench {

/// One figure, the larger the better; 0 = it failed.
struct Sample {
  double value = 0;
  int kind = 0;  ///< samples of one kind are as fast as each other on a sound machine
  std::vector<std::size_t> parts;  ///< all that it went over
};

/// A part that is slow.
struct Blame {
  std::size_t part = 0;
  std::vector<std::size_t>
      or_part;            ///< others that the same samples went over: can't be told apart
  double ratio = 1;       ///< of what is healthy
  int slow = 0, all = 0;  ///< its samples
  int failed = 0;         ///< of the slow ones
  /// Chance that one more sample over it is slow, by Laplace's rule of succession.
  double confidence() const { return (slow + 1.0) / (all + 2.0); }
};

struct Elimination {
  std::vector<Blame> blames;       ///< the one that explains most first
  int judged = 0, not_judged = 0;  ///< samples; a kind of few has nothing to be held against
  int unexplained = 0;  ///< below kFarApart of what is healthy, over no part that is blamed
  int above = 0;        ///< of which what is taken for healthy is below kFarApart: then it may not be
  /// Of each kind, by its number: what is healthy; 0 = not judged.
  std::vector<double> healthy;
};

/// Slower by less is nobody's fault: machines of one make differ by some per cent.
inline constexpr double kMildest = 0.85;
/// A ratio that is no scatter.
inline constexpr double kFarApart = 0.6;
/// Fewer samples of a kind say nothing.
inline constexpr std::size_t kFewest = 4;

Elimination eliminate(const std::vector<Sample>& samples, std::size_t parts);

}  // namespace topolaunch::bench
