// SPDX-License-Identifier: Apache-2.0
//
// Places as clouds say them: for each host the chain of network nodes above it. Turned into
// switches, each once, in the order in which they are first named.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

class CloudPlaces {
 public:
  /// `chain`: from the leaf upward; empty = the place is not known.
  void add(const Origin& origin, const std::string& host, const std::vector<std::string>& chain);
  /// The switches; then this is empty.
  std::vector<Fact> switches();

 private:
  std::vector<Fact> facts_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// GPUs and network of a host by its instance type; nothing for a type that is not known.
void add_instance_type(const Origin& origin, const std::string& host, const std::string& type,
                       std::vector<Fact>& facts);

}  // namespace topolaunch::topo
