// SPDX-License-Identifier: Apache-2.0
//
// What traces say, put together: process groups and who is in them, bytes of each collective by the
// rank that recorded it, messages. Then a rank graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "mapping/rank_graph.h"

namespace topolaunch::mapping {

inline constexpr int kMaxTraceRanks = 1 << 20;

/// A whole number, also as text or with a fraction; nothing for others and for what is not there.
std::optional<std::int64_t> number_in(const Json& json);
std::optional<std::int64_t> number_at(const Json& object, const char* key);
/// Empty where it is not there or no text.
std::string text_at(const Json& object, const char* key);

class TraceGroups {
 public:
  /// What follows is from this file; `rank` -1: it does not say whose it is.
  void begin(const std::string& file, int rank = -1);
  void at_least(int ranks);

  /// [{"pg_name", "pg_desc", "ranks", "pg_size" or "group_size"}]; no ranks = everybody.
  Status learn(const Json& list, const char* where);
  /// The name of the group of everybody.
  std::string everybody();
  Status collective(const std::string& group, Collective kind, std::int64_t bytes,
                    const std::string& where);
  Status message(std::int64_t from, std::int64_t to, std::int64_t bytes, const std::string& where);

  Result<RankGraph> finish(const std::string& origin);
  tl::unexpected<Error> wrong(std::string message, std::string next = {}) const;

 private:
  struct ProcessGroup {
    std::string what;        ///< description, else name
    std::vector<int> ranks;  ///< empty = everybody, or not said
    int size = 0;            ///< as stated; 0 = not
  };
  bool complete(std::set<std::vector<int>>& sets) const;

  std::string file_;
  int rank_ = -1, world_ = 1, files_ = 0, left_out_ = 0;
  std::map<std::string, ProcessGroup> groups_;
  std::map<std::pair<std::string, Collective>, std::map<int, std::int64_t>> totals_;  ///< by rank
  std::map<std::pair<int, int>, std::map<int, std::int64_t>> ways_;
  std::map<std::pair<int, int>, std::int64_t> edges_;
};

}  // namespace topolaunch::mapping
