// SPDX-License-Identifier: Apache-2.0
#include "bench/nccl_row.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace topolaunch::bench {
namespace {

constexpr std::size_t kFigures = 8;

bool whole(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<double> figure(const std::string& word) {
  char* end = nullptr;
  const double v = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(v)) return std::nullopt;
  return v;
}

template <class Integer>
bool integer(const std::string& word, Integer& into) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), into);
  return error == std::errc{} && stop == word.data() + word.size();
}

/// time algbw busbw #wrong
bool read_timing(const std::vector<std::string>& words, std::size_t at, Timing& t) {
  const auto time = figure(words[at]), algbw = figure(words[at + 1]), busbw = figure(words[at + 2]);
  const auto wrong = figure(words[at + 3]);
  if (!time || !algbw || !busbw || (!wrong && words[at + 3] != "N/A")) return false;
  t.time = t.p50 = Seconds(*time / 1e6);
  t.algbw = *algbw * 1e9;
  t.busbw = *busbw * 1e9;
  // "1.5e+06" where there are many; releases before 2.12 print the largest error there: 4e-07 is
  // none.
  t.wrong = wrong ? std::llround(*wrong) : -1;
  return true;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::istringstream in{std::string(line)};
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

bool begins_row(const std::vector<std::string>& words) {
  return words.size() >= 3 && whole(words[0]) && whole(words[1]) &&
         std::isalpha(static_cast<unsigned char>(words[2].front())) != 0;
}

bool continues_row(const std::vector<std::string>& words) {
  return !words.empty() && std::ranges::all_of(words, [](const std::string& w) {
    return figure(w).has_value() || w == "N/A";
  });
}

std::optional<SizeResult> row_of(const std::vector<std::string>& words) {
  constexpr std::size_t kFewest = 3 + kFigures, kMost = 5 + kFigures;
  if (!begins_row(words) || words.size() < kFewest) return std::nullopt;
  // More behind them are columns that were asked for, such as the time of day.
  const std::size_t figures = std::min(words.size(), kMost) - kFigures;
  SizeResult r;
  if (!integer(words[0], r.size) || !integer(words[1], r.count)) return std::nullopt;
  r.type = words[2];
  r.redop = "none";
  for (std::size_t i = 3; i < figures; ++i) {
    if (!integer(words[i], r.root)) r.redop = words[i];
  }
  if (!read_timing(words, figures, r.out_of_place) ||
      !read_timing(words, figures + 4, r.in_place)) {
    return std::nullopt;
  }
  return r;
}

std::string_view before_message(std::string_view line, const std::vector<Device>& devices) {
  const std::size_t message = line.find("] NCCL ");
  if (message == std::string_view::npos) return line;
  for (const Device& d : devices) {
    const auto at = line.find(d.host + ":" + std::to_string(d.pid) + ":");
    if (at < message) return line.substr(0, at);
  }
  return line;
}

std::string collective_by_rows(const Measurement& m) {
  const auto top = std::ranges::max_element(
      m.results, {}, [](const SizeResult& r) { return r.out_of_place.busbw; });
  if (top == m.results.end() || top->out_of_place.algbw <= 0 || m.ranks < 2) return {};
  const double factor = top->out_of_place.busbw / top->out_of_place.algbw;
  const double part = (m.ranks - 1.0) / m.ranks;  // nccl-tests doc/PERFORMANCE.md
  const auto is = [&](double expected) { return std::abs(factor - expected) < 0.02 * expected; };
  const bool adds = top->redop != "none", from_one = top->root >= 0;
  if (adds && from_one) return "reduce";
  if (from_one) return "broadcast";
  if (adds) return is(2 * part) ? "allreduce" : is(part) ? "reduce_scatter" : "";
  // Old releases tell these two apart by nothing: same columns, same factor.
  if (is(part)) return "allgather or alltoall";
  return is(1) ? "sendrecv" : "";
}

}  // namespace topolaunch::bench
