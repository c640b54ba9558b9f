// SPDX-License-Identifier: Apache-2.0
#include "launcher/measured/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "bench/collective.h"

namespace topolaunch::launcher {
namespace {

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

bool is_date(const std::string& text) {
  // 2026-11 or 2026-11-30
  return (text.size() == 7 || text.size() == 10) && text[4] == '-' &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

bool same_machine(const ExpectedFigure& f, const bench::Measurement& m) {
  if (f.hosts > 0 && f.hosts != m.hosts) return false;
  if (f.ranks > 0 && f.ranks != m.ranks) return false;
  return std::ranges::all_of(m.devices, [&](const bench::Device& d) {
    return f.gpu.empty() ||
           (f.gpu == "cpu" ? d.device == "cpu" : d.info.find(f.gpu) != std::string::npos);
  });
}

}  // namespace

Result<std::vector<ExpectedFigure>> expected_from_csv(std::string_view text,
                                                      const std::string& file) {
  std::vector<ExpectedFigure> figures;
  std::map<std::string, std::size_t> columns;
  int line_number = 0;
  const auto refuse = [&](const std::string& what) {
    return fail(Error{Code::invalid_input, what,
                      "columns gpu,hosts,ranks,collective,size_bytes,busbw_GBs,source,date", file,
                      line_number});
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto row = cells(text.substr(at, end - at));
    at = end + 1;
    ++line_number;
    if (row.size() == 1 && row[0].empty()) continue;
    if (row[0].starts_with("#")) continue;
    if (columns.empty()) {
      for (std::size_t i = 0; i < row.size(); ++i) columns[row[i]] = i;
      for (const char* name : {"collective", "size_bytes", "busbw_GBs", "source", "date"}) {
        if (!columns.contains(name)) return refuse(std::string("no column ") + name);
      }
      continue;
    }
    const auto text_at = [&](const char* name) {
      const auto it = columns.find(name);
      return it == columns.end() || it->second >= row.size() ? std::string() : row[it->second];
    };
    const auto number_at = [&](const char* name, double fallback) {
      const std::string word = text_at(name);
      if (word.empty()) return fallback;
      char* stop = nullptr;
      const double v = std::strtod(word.c_str(), &stop);
      return *stop == '\0' && std::isfinite(v) ? v : -1.0;
    };
    ExpectedFigure f;
    f.gpu = text_at("gpu");
    const double hosts = number_at("hosts", 0), ranks = number_at("ranks", 0);
    const double size = number_at("size_bytes", -1), busbw = number_at("busbw_GBs", -1);
    if (hosts < 0 || ranks < 0 || hosts > 1e9 || ranks > 1e9)
      return refuse("hosts and ranks are numbers, or empty for any");
    if (size < 1 || size > 9e15 || busbw <= 0)
      return refuse("size_bytes and busbw_GBs have to be numbers above 0");
    f.hosts = static_cast<int>(hosts);
    f.ranks = static_cast<int>(ranks);
    f.size = static_cast<std::int64_t>(size);
    f.busbw = busbw * 1e9;
    const auto collective = bench::collective_named(text_at("collective"));
    if (!collective) return refuse("there is no collective \"" + text_at("collective") + "\"");
    f.collective = bench::name_of(*collective);
    f.source = text_at("source");
    f.date = text_at("date");
    if (f.source.empty()) return refuse("a figure without a source");
    if (!f.date.empty() && !is_date(f.date))
      return refuse("\"" + f.date + "\" is no date (2026-11-30)");
    figures.push_back(std::move(f));
  }
  if (columns.empty()) return refuse("nothing in it");
  return figures;
}

double allowed_deviation(std::int64_t bytes) {
  constexpr double kSmall = 64.0 * (1 << 20), kLarge = 1024.0 * (1 << 20);
  const double size = std::clamp(static_cast<double>(bytes), kSmall, kLarge);
  return 0.5 - 0.4 * std::log(size / kSmall) / std::log(kLarge / kSmall);
}

Check speed_check(const std::string& name, std::int64_t size, double busbw, double expected,
                  const std::string& source, bool decides) {
  const double band = allowed_deviation(size);
  Check check;
  check.name = name;
  check.measured = fmt::format("{}: {} busbw", to_text(Bytes(size)),
                               to_text(Bandwidth::bytes_per_second(busbw)));
  check.expected =
      fmt::format("{} +- {:.0f} %", to_text(Bandwidth::bytes_per_second(expected)), band * 100);
  check.source = source;
  const double ratio = busbw / expected;
  const std::string away = fmt::format("{:.2f} of what is expected", ratio);
  if (ratio >= 1 - band && ratio <= 1 + band) {
    check.verdict = Outcome::pass;
  } else if (ratio < 1) {
    check.verdict = Outcome::fail;
    check.suspect = "too slow, " + away;
    check.confirm = "topobench --pairs names the slow host or link; then clocks and other jobs";
  } else {
    check.verdict = Outcome::fail;
    check.suspect =
        "too fast, " + away + ": fewer ranks or other devices than it says, or a clock that lies";
    check.confirm = "the number of ranks, their devices, and the wall clock of the whole run";
  }
  if (!decides && check.verdict == Outcome::fail) {
    check.verdict = Outcome::not_applicable;
    check.suspect += "; for information: the figure has no date";
  }
  return check;
}

std::vector<Check> check_expected(const bench::Measurement& measurement,
                                  const std::vector<ExpectedFigure>& figures) {
  std::vector<Check> checks;
  for (const ExpectedFigure& f : figures) {
    if (f.collective != measurement.collective || !same_machine(f, measurement)) continue;
    for (const bench::SizeResult& r : measurement.results) {
      if (r.size != f.size || r.out_of_place.busbw <= 0) continue;
      const std::string source = f.date.empty() ? f.source : f.source + ", " + f.date;
      checks.push_back(
          speed_check("expected", r.size, r.out_of_place.busbw, f.busbw, source, !f.date.empty()));
    }
  }
  return checks;
}

}  // namespace topolaunch::launcher
