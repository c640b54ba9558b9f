// SPDX-License-Identifier: Apache-2.0
//
// A set of CPU numbers (the operating system's, "PUs" in hwloc's words). Also used for sets of
// NUMA node numbers. Value type; at most kMaxCpu numbers so that a hostile file can't take memory.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch {

class CpuSet {
 public:
  static constexpr int kMaxCpu = 65536;

  CpuSet() = default;
  CpuSet(std::initializer_list<int> cpus);
  /// Linux list format: "0-3,8-11", "" is the empty set. "0-6:2" steps are understood.
  static Result<CpuSet> from_list(std::string_view text);
  /// Linux and NCCL mask format: "ffffffff,00000000" (32-bit words, most significant first), with
  /// or without "0x".
  static Result<CpuSet> from_mask(std::string_view text);

  void add(int cpu);  ///< numbers outside 0..kMaxCpu-1 are ignored
  void add_range(int first, int last);
  void remove(int cpu);
  bool contains(int cpu) const;
  bool empty() const;
  int size() const;
  int first() const;  ///< lowest number; -1 if empty
  int last() const;   ///< highest number; -1 if empty
  std::vector<int> to_vector() const;
  std::string to_list() const;  ///< "0-3,8-11"
  std::string to_mask() const;  ///< "00000f0f": 32-bit words, most significant first

  bool intersects(const CpuSet& other) const;
  bool includes(const CpuSet& other) const;  ///< other is a subset of this

  friend CpuSet operator&(const CpuSet& a, const CpuSet& b);
  friend CpuSet operator|(const CpuSet& a, const CpuSet& b);
  friend CpuSet operator-(const CpuSet& a, const CpuSet& b);
  friend bool operator==(const CpuSet& a, const CpuSet& b) { return a.words_ == b.words_; }

 private:
  void trim();
  std::vector<std::uint64_t> words_;  ///< no trailing zero words, so == is equality of sets
};

}  // namespace topolaunch
