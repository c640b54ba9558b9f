// SPDX-License-Identifier: Apache-2.0
//
// SlurmFabric: what Slurm's topology files say, whatever they are written in (topology.conf,
// topology.yaml, `scontrol show topology`), collected a statement at a time and turned into facts.
//
//   tree    switches over switches over hosts
//   block   hosts in blocks, blocks in aggregates of BlockSizes[i] / BlockSizes[0] neighbours
//   ring    a switch a ring; the order of its hosts is their position
//   torus   a switch a torus; the order of its hosts is x first, then y, then z
//
// A statement that Slurm would stop at or misread becomes a warning with its line; the rest is
// read.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topo/fact.h"

namespace topolaunch::topo {

class SlurmFabric {
 public:
  explicit SlurmFabric(std::string file) : file_(std::move(file)) {}

  void finding(std::string code, int line, std::string message,
               Warning::Severity severity = Warning::Severity::error);
  /// A host list at `line`; nothing, and a finding, if it can't be read.
  std::optional<std::vector<std::string>> names(std::string_view list, int line);

  /// `unread`: a list of the statement could not be read, so that it may look empty.
  void add_switch(int line, const std::string& name, std::vector<std::string> hosts,
                  const std::vector<std::string>& children, bool unread = false);
  void add_block(int line, const std::string& name, std::vector<std::string> hosts);
  void set_block_sizes(int line, std::vector<int> sizes);
  void add_aggregate(std::vector<std::string> blocks);  ///< as scontrol shows them
  void add_ring(int line, const std::string& name, std::vector<std::string> hosts);
  void add_torus(int line, const std::string& name, std::array<int, 3> dims,
                 std::vector<std::string> hosts);

  /// invalid_input if there is nothing but findings; `expected` then says what a line is like.
  Result<std::vector<Fact>> facts(std::string_view expected) &&;
  /// Names were read without end: the caller stops.
  bool too_much() const { return total_ > kMostNames; }

  static constexpr std::size_t kMostNames = std::size_t{1} << 21;

 private:
  struct Parent {
    std::string name;
    int line;
  };
  bool add(int line, const std::string& name, std::vector<std::string> hosts, int level);
  void aggregate_blocks();

  std::string file_;
  std::vector<Fact> facts_;
  std::vector<std::pair<int, SwitchFact>> switches_;  ///< with the line
  std::map<std::string, std::size_t> index_;
  std::map<std::string, Parent> parents_;  ///< of child switches
  std::vector<std::size_t> blocks_;        ///< in switches_
  std::vector<int> block_sizes_;
  std::vector<std::vector<std::string>> aggregates_;
  std::vector<std::string> level_names_;
  std::size_t total_ = 0;
};

}  // namespace topolaunch::topo
