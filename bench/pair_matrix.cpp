// SPDX-License-Identifier: Apache-2.0
#include "bench/pair_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace topolaunch::bench {
namespace {

constexpr std::size_t kMostRanks = 4096;  // a matrix of more is a mistake, or an attack

Json matrix_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < matrix.size(); ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < matrix.size(); ++c) {
      row.push_back(matrix.has(r, c) ? Json(matrix.at(r, c)) : Json(nullptr));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Matrix::Matrix(std::size_t size)
    : size_(size), values_(size * size, std::numeric_limits<double>::quiet_NaN()) {}

bool Matrix::has(std::size_t row, std::size_t column) const {
  return row < size_ && column < size_ && std::isfinite(at(row, column));
}

std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds_of_pairs(std::size_t size) {
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds;
  if (size < 2) return rounds;
  if (std::has_single_bit(size)) {
    for (std::size_t bits = 1; bits < size; ++bits) {
      auto& round = rounds.emplace_back();
      for (std::size_t a = 0; a < size; ++a) {
        if (a < (a ^ bits)) round.emplace_back(a, a ^ bits);
      }
    }
    return rounds;
  }
  // Kirkman's circle: one stays, the others go round; an odd one out has a partner that isn't
  // there.
  const std::size_t seats = size + size % 2, circle = seats - 1;
  for (std::size_t turn = 0; turn < circle; ++turn) {
    auto& round = rounds.emplace_back();
    const auto add = [&](std::size_t a, std::size_t b) {
      if (a < size && b < size) round.emplace_back(std::min(a, b), std::max(a, b));
    };
    add(seats - 1, turn);
    for (std::size_t k = 1; k < seats / 2; ++k) {
      add((turn + k) % circle, (turn + circle - k) % circle);
    }
  }
  return rounds;
}

Json to_json(const PairMatrix& pairs) {
  Json json;
  json["ranks"] = pairs.ranks;
  json["size_bytes"] = pairs.bytes;
  const auto put = [&](const char* name, const Matrix& matrix) {
    if (!matrix.empty()) json[name] = matrix_json(matrix);
  };
  put("one_way_bytes_per_second", pairs.one_way);
  put("both_ways_bytes_per_second", pairs.both_ways);
  put("concurrent_bytes_per_second", pairs.concurrent);
  put("latency_seconds", pairs.latency);
  if (!pairs.local.empty()) json["local_copy_bytes_per_second"] = pairs.local;
  if (!pairs.held_back.empty()) {
    json["held_back_share"] = Json::array();
    for (const double share : pairs.held_back) {
      json["held_back_share"].push_back(share < 0 ? Json(nullptr) : Json(share));
    }
  }
  json["nwrong"] = pairs.wrong;
  return json;
}

Result<PairMatrix> pairs_from_json(const Json& json, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    return fail(
        Error{Code::invalid_input, "\"pairs\": " + what, "topobench --pairs writes it", file, 0});
  };
  if (!json.is_object()) return refuse("isn't an object");
  PairMatrix pairs;
  const auto ranks = json.find("ranks");
  if (ranks == json.end() || !ranks->is_array() || ranks->size() > kMostRanks) {
    return refuse("\"ranks\" isn't a list of at most " + std::to_string(kMostRanks));
  }
  for (const Json& rank : *ranks) {
    if (!rank.is_number_integer()) return refuse("\"ranks\" holds something that isn't a rank");
    pairs.ranks.push_back(rank.get<int>());
  }
  const std::size_t size = pairs.ranks.size();
  for (const auto& [name, into] : {std::pair("one_way_bytes_per_second", &pairs.one_way),
                                   std::pair("both_ways_bytes_per_second", &pairs.both_ways),
                                   std::pair("concurrent_bytes_per_second", &pairs.concurrent),
                                   std::pair("latency_seconds", &pairs.latency)}) {
    const auto rows = json.find(name);
    if (rows == json.end() || rows->is_null()) continue;
    if (!rows->is_array() || rows->size() != size) {
      return refuse(std::string(name) + " hasn't as many rows as there are ranks");
    }
    *into = Matrix(size);
    for (std::size_t r = 0; r < size; ++r) {
      if (!(*rows)[r].is_array() || (*rows)[r].size() != size) {
        return refuse(std::string(name) + ": row " + std::to_string(r) +
                      " isn't as long as there are ranks");
      }
      for (std::size_t c = 0; c < size; ++c) {
        const Json& cell = (*rows)[r][c];
        if (cell.is_null()) continue;
        if (!cell.is_number() || !(cell.get<double>() >= 0)) {
          return refuse(std::string(name) + ": row " + std::to_string(r) + ", column " +
                        std::to_string(c) + " is no number of 0 or more, and not null");
        }
        into->at(r, c) = cell.get<double>();
      }
    }
  }
  if (const auto local = json.find("local_copy_bytes_per_second"); local != json.end()) {
    if (!local->is_array() || local->size() != size) return refuse("local_copy isn't one a rank");
    for (const Json& v : *local) {
      if (!v.is_number()) return refuse("local_copy holds something that isn't a number");
      pairs.local.push_back(v.get<double>());
    }
  }
  if (const auto held = json.find("held_back_share"); held != json.end()) {
    if (!held->is_array() || held->size() != size) return refuse("held_back_share isn't one a rank");
    for (const Json& v : *held) {
      if (!v.is_null() && !(v.is_number() && v.get<double>() >= 0 && v.get<double>() <= 1)) {
        return refuse("held_back_share holds something that is no share, and not null");
      }
      pairs.held_back.push_back(v.is_null() ? -1 : v.get<double>());
    }
  }
  if (const auto bytes = json.find("size_bytes");
      bytes != json.end() && bytes->is_number_integer()) {
    pairs.bytes = bytes->get<std::int64_t>();
  }
  if (const auto wrong = json.find("nwrong"); wrong != json.end() && wrong->is_number_integer()) {
    pairs.wrong = wrong->get<std::int64_t>();
  }
  return pairs;
}

}  // namespace topolaunch::bench
