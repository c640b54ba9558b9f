// SPDX-License-Identifier: Apache-2.0
//
// From parts that are blamed to culprits: kinds of measurement of one machine, each with its
// samples, are held together.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/culprit.h"
#include "bench/elimination.h"

namespace topolaunch::bench {

/// Parts of the machine by name, in the order in which they came.
class Parts {
 public:
  std::size_t of(Culprit::Kind kind, const std::string& name, const std::string& owner = {}) {
    const auto [it, fresh] = index_.try_emplace(std::pair(kind, name), all_.size());
    if (fresh) all_.push_back({kind, name, owner});
    return it->second;
  }
  struct Part {
    Culprit::Kind kind;
    std::string name;
    std::string owner;  ///< the host of a link; the two of a path, a line break between
  };
  const Part& at(std::size_t i) const { return all_[i]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::pair<Culprit::Kind, std::string>, std::size_t> index_;
  std::vector<Part> all_;
};

/// One kind of measurement: what was measured, and over what.
struct View {
  std::string name;      ///< "one way"
  bool latency = false;  ///< values are 1/seconds
  std::vector<Sample> samples;
  bool by_itself = false;  ///< over no link: what it blames alone slows no communication
};

/// Who owns the parts that the view blames; `judged` is left alone where it has too few samples.
std::set<std::string> owners_blamed(const View& view, const Parts& parts, bool& judged);

/// All views of the same parts. `slow_by_itself`: hosts that are slow with nothing on any link;
/// nothing where that wasn't looked at. `by_others`: figures that somebody else took, of which many
/// that nothing explains are said; our own kinds of measurement hold each other.
Findings findings_of(const std::vector<View>& views, const Parts& parts,
                     const std::optional<std::set<std::string>>& slow_by_itself,
                     bool by_others = false);

}  // namespace topolaunch::bench
