// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/nccl_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/lower_case.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

using Words = std::vector<std::string_view>;

bool same(std::string_view a, std::string_view b) {
  return lower_case(a) == lower_case(b);
}

bool among(std::string_view word, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view one) { return same(one, word); });
}

/// Parts between separators, without empty ones, as strtok_r has them.
Words parts(std::string_view text, char separator) {
  Words all;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) all.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string none_of(std::string_view word, const Words& known) {
  return fmt::format("'{}' is none of {}", word, fmt::join(known, ", "));
}

/// "ring,tree", "^ll128;allreduce:ll128": src/graph/tuning.cc of NCCL 2.28, parseList(), in any
/// case. Releases before 2.24 pass over what they don't know, later ones end with invalid usage.
std::string bad_list(std::string_view value, const Words& known) {
  static const Words functions{"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};
  for (std::string_view list : parts(value, ';')) {
    if (const auto colon = list.find(':'); colon != std::string_view::npos) {
      const auto function = list.substr(0, colon);
      if (!among(function, functions)) return none_of(function, functions);
      list.remove_prefix(colon + 1);
    }
    if (list.starts_with('^')) list.remove_prefix(1);
    for (const std::string_view word : parts(list, ',')) {
      if (!among(word, known)) return none_of(word, known);
    }
  }
  return {};
}

/// src/graph/paths.cc of NCCL 2.28, ncclGetLevel(): in capitals alone, or a number.
std::string bad_level(std::string_view value) {
  static const Words levels{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};
  if (std::isdigit(static_cast<unsigned char>(value.front())) != 0) return {};
  if (std::ranges::find(levels, value) != levels.end()) return {};
  return none_of(value, levels) + (among(value, levels) ? ": in capitals" : "");
}

/// src/misc/param.cc of NCCL 2.28, ncclLoadParam(): strtoll with base 0, the rest passed over.
std::string bad_number(std::string_view value) {
  std::string_view digits = value;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  const bool whole = !digits.empty() && std::ranges::all_of(digits, [&](unsigned char c) {
    return (hexadecimal ? std::isxdigit(c) : std::isdigit(c)) != 0;
  });
  return whole ? std::string() : fmt::format("'{}' is no whole number", value);
}

/// Variables that are read as a whole number, without NCCL_.
bool is_number(std::string_view name) {
  static const Words names{
      "BUFFSIZE",
      "CHECK_POINTERS",
      "COLLNET_ENABLE",
      "CROSS_NIC",
      "CUMEM_ENABLE",
      "DMABUF_ENABLE",
      "GDRCOPY_ENABLE",
      "GRAPH_REGISTER",
      "IB_DISABLE",
      "IB_GID_INDEX",
      "IB_MERGE_NICS",
      "IB_PCI_RELAXED_ORDERING",
      "IB_QPS_PER_CONNECTION",
      "IB_RETRY_CNT",
      "IB_SL",
      "IB_SPLIT_DATA_ON_QPS",
      "IB_TC",
      "IB_TIMEOUT",
      "IGNORE_CPU_AFFINITY",
      "LL128_BUFFSIZE",
      "LL128_NTHREADS",
      "LL_BUFFSIZE",
      "LOCAL_REGISTER",
      "MAX_CTAS",
      "MAX_NCHANNELS",
      "MAX_NRINGS",
      "MAX_P2P_NCHANNELS",
      "MIN_CTAS",
      "MIN_NCHANNELS",
      "MIN_NRINGS",
      "MIN_P2P_NCHANNELS",
      "MNNVL_ENABLE",
      "NCHANNELS_PER_NET_PEER",
      "NET_GDR_READ",
      "NSOCKS_PERTHREAD",
      "NTHREADS",
      "NVB_DISABLE",
      "NVLS_ENABLE",
      "NVLS_NCHANNELS",
      "P2P_DISABLE",
      "P2P_NET_CHUNKSIZE",
      "P2P_NVL_CHUNKSIZE",
      "P2P_PCI_CHUNKSIZE",
      "P2P_PXN_LEVEL",
      "PXN_DISABLE",
      "RAS_ENABLE",
      "SHM_DISABLE",
      "SOCKET_NTHREADS",
  };
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::string bad_nccl_value(std::string_view name, std::string_view value) {
  constexpr std::string_view kPrefix = "NCCL_";
  // CollNet is the name up to 2.13. ABORT is for NCCL's own tests.
  static const Words algorithms{"Tree", "Ring",     "CollNetDirect", "CollNetChain",
                                "NVLS", "NVLSTree", "PAT",           "CollNet"};
  static const Words protocols{"LL", "LL128", "Simple"};
  static const Words levels{"VERSION", "WARN", "INFO", "TRACE", "ABORT"};
  value = smi::trimmed(value);
  if (!name.starts_with(kPrefix) || value.empty()) return {};
  if (value.find_first_of("$`") != std::string_view::npos) return {};
  name.remove_prefix(kPrefix.size());
  if (name == "ALGO") return bad_list(value, algorithms);
  if (name == "PROTO") return bad_list(value, protocols);
  if (name == "P2P_LEVEL" || name == "NET_GDR_LEVEL") return bad_level(value);
  if (name == "DEBUG") return among(value, levels) ? std::string() : none_of(value, levels);
  return is_number(name) ? bad_number(value) : std::string();
}

}  // namespace topolaunch::topo
