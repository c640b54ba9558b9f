// SPDX-License-Identifier: Apache-2.0
//
// TopologyMembers: the members of topology JSON, as untrusted input: none is used before it was
// checked. The first thing that is wrong is remembered; after it all values are empty, so that who
// reads need not ask after each.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "topo/topology.h"
#include "topo/topology_words.h"

namespace topolaunch::topo {

class TopologyMembers {
 public:
  explicit TopologyMembers(std::string file) : file_(std::move(file)) {}

  bool failed() const { return failed_; }
  Error error() && { return std::move(error_); }
  void refuse(const std::string& where, std::string_view why);

  /// The member, or nullptr if it is absent or null.
  const Json* member(const Json& object, const char* key) const;
  const Json& list(const Json& object, const char* key, const std::string& where);
  std::string text(const Json& object, const char* key, const std::string& where);
  double number(const Json& object, const char* key, const std::string& where);
  std::optional<int> integer_or_none(const Json& object, const char* key, const std::string& where,
                                     int least = 0, int most = 1 << 30);
  int integer(const Json& object, const char* key, const std::string& where, int least = 0,
              int most = 1 << 30);
  bool flag(const Json& object, const char* key, const std::string& where, bool fallback = false);
  Bytes bytes(const Json& object, const char* key, const std::string& where);
  Bandwidth rate(const Json& object, const char* key, const std::string& where);
  CpuSet cpus(const Json& object, const char* key, const std::string& where);
  CpuSet cpu_list(const std::string& list_text, const std::string& where);
  std::optional<PciAddress> pci(const Json& object, const char* key, const std::string& where);
  std::optional<PciAddress> pci_text(const std::string& address, const std::string& where);
  std::vector<PciAddress> path(const Json& object, const std::string& where);
  std::vector<Origin> origins(const Json& object, const std::string& where);
  template <class E>
  E one_of(const Json& object, const char* key, const std::string& where, E fallback) {
    const std::string value = text(object, key, where);
    if (value.empty()) return fallback;
    const auto known = from_word<E>(value);
    if (!known) refuse(join(where, key), fmt::format("'{}' is no word of the schema", value));
    return known.value_or(fallback);
  }
  std::string required(const Json& object, const char* key, const std::string& where);

  static std::string join(const std::string& where, const char* key) {
    return where.empty() ? std::string(key) : where + "." + key;
  }

 private:
  std::string file_;
  bool failed_ = false;
  Error error_{};
};

}  // namespace topolaunch::topo
