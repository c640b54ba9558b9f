// SPDX-License-Identifier: Apache-2.0
//
// Seam: one place to look for facts. "Saw nothing" is an empty vector; "could not look" is an
// Error with Code::unavailable that says why; a broken input file is Code::invalid_input.
#pragma once

#include <string>
#include <vector>

#include "base/outside.h"
#include "topo/fact.h"

namespace topolaunch::topo {

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string name() const = 0;
  /// The machine that it looks at; empty where the facts say it.
  virtual std::string host() const { return {}; }
  /// Whether it looks at this machine, now; false for a source that reads a file.
  virtual bool live() const { return false; }
  virtual Result<std::vector<Fact>> look(const Outside& outside) const = 0;
};

}  // namespace topolaunch::topo
