// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/lower_case.h"

namespace topolaunch {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

/// Takes a non-negative finite number off the front of `s`.
std::optional<double> take_number(std::string_view& s) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value) || value < 0 || s.front() == '-') return {};
  s.remove_prefix(static_cast<std::size_t>(end - s.data()));
  return value;
}

tl::unexpected<Error> not_a(std::string_view what, std::string_view text,
                            std::string_view example) {
  return fail(Code::wrong_usage, fmt::format("'{}' is not a {}", text, what),
              fmt::format("write it like {}", example));
}

/// 3 significant digits without trailing zeros; from 1000 on all digits, never an exponent.
std::string short_number(double v) {
  return std::abs(v) >= 999.5 ? fmt::format("{:.0f}", v) : fmt::format("{:.3g}", v);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  constexpr std::string_view example = "4096, 64K, 4MiB or 2GB";
  std::string_view s = trimmed(text);
  const auto number = take_number(s);
  if (!number) return not_a("size", text, example);
  const std::string unit = lower_case(trimmed(s));
  double factor = 0;
  if (unit.empty() || unit == "b") factor = 1;
  constexpr std::string_view prefixes = "kmgtp";
  if (factor == 0) {
    const auto power = prefixes.find(unit.front());
    if (power == std::string_view::npos) return not_a("size", text, example);
    const std::string rest = unit.substr(1);
    const double exponent = static_cast<double>(power) + 1;
    if (rest.empty() || rest == "ib") factor = std::pow(1024.0, exponent);
    if (rest == "b") factor = std::pow(1000.0, exponent);
    if (factor == 0) return not_a("size", text, example);
  }
  const double bytes = *number * factor;
  if (bytes > 9.0e18) return not_a("size", text, example);
  return Bytes(static_cast<std::int64_t>(std::llround(bytes)));
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  constexpr std::string_view example = "200Mb/s, 400Gbit or 25GB/s";
  std::string_view s = trimmed(text);
  const auto number = take_number(s);
  if (!number || *number <= 0) return not_a("bandwidth", text, example);
  std::string unit(trimmed(s));
  if (unit.empty()) return not_a("bandwidth", text, example);
  double factor = 1;
  constexpr std::string_view prefixes = "kmgt";
  const auto power = prefixes.find(lower_case(unit.substr(0, 1)));
  if (power != std::string_view::npos) {
    factor = std::pow(1000.0, static_cast<double>(power) + 1);
    unit.erase(0, 1);
    if (!unit.empty() && unit.front() == 'i') {
      factor = std::pow(1024.0, static_cast<double>(power) + 1);
      unit.erase(0, 1);
    }
  }
  const std::string low = lower_case(unit);
  const bool bits = unit == "b/s" || unit == "bps" || low == "bit" || low == "bit/s" ||
                    low == "bits" || low == "bits/s";
  const bool bytes = unit == "B/s" || unit == "Bps" || low == "bytes/s" || low == "byte/s";
  const double value = *number * factor / (bits ? 8 : 1);
  if ((!bits && !bytes) || !std::isfinite(value)) return not_a("bandwidth", text, example);
  return Bandwidth::bytes_per_second(value);
}

Result<Seconds> parse_duration(std::string_view text) {
  constexpr std::string_view example = "90, 90s, 5m, 1h30m, 00:05:00 or 1-12:00:00";
  std::string_view s = trimmed(text);
  if (s.empty()) return not_a("duration", text, example);
  // Longer than any clock counts: kept out so that later arithmetic can't overflow.
  const auto bounded = [&](double seconds) -> Result<Seconds> {
    if (seconds > 1e10) return not_a("duration", text, example);
    return Seconds(seconds);
  };
  if (s.find(':') != std::string_view::npos) {  // [days-]hours:minutes:seconds or minutes:seconds
    double days = 0;
    if (const auto dash = s.find('-'); dash != std::string_view::npos) {
      const auto n = take_number(s);
      if (!n || s.empty() || s.front() != '-') return not_a("duration", text, example);
      days = *n;
      s.remove_prefix(1);
    }
    double total = 0;
    int fields = 0;
    while (true) {
      if (s.empty()) return not_a("duration", text, example);
      const auto n = take_number(s);
      if (!n) return not_a("duration", text, example);
      total = total * 60 + *n;
      ++fields;
      if (s.empty()) break;
      if (s.front() != ':' || fields == 3) return not_a("duration", text, example);
      s.remove_prefix(1);
    }
    return bounded(days * 86400 + total);
  }
  double total = 0;
  bool bare = false;
  while (!s.empty()) {
    const auto n = take_number(s);
    if (!n || bare) return not_a("duration", text, example);
    s = trimmed(s);
    std::size_t letters = 0;
    while (letters < s.size() && std::isalpha(static_cast<unsigned char>(s[letters]))) ++letters;
    const std::string unit = lower_case(s.substr(0, letters));
    s.remove_prefix(letters);
    double factor = 0;
    if (unit.empty()) {
      factor = 1;
      bare = true;
    } else if (unit == "us") {
      factor = 1e-6;
    } else if (unit == "ms") {
      factor = 1e-3;
    } else if (unit == "s" || unit == "sec" || unit == "seconds") {
      factor = 1;
    } else if (unit == "m" || unit == "min" || unit == "minutes") {
      factor = 60;
    } else if (unit == "h" || unit == "hours") {
      factor = 3600;
    } else if (unit == "d" || unit == "days") {
      factor = 86400;
    } else {
      return not_a("duration", text, example);
    }
    total += *n * factor;
    s = trimmed(s);
  }
  return bounded(total);
}

std::string to_text(Bytes bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double v = static_cast<double>(bytes.count());
  std::size_t i = 0;
  while (std::abs(v) >= 1024 && i + 1 < units.size()) {
    v /= 1024;
    ++i;
  }
  return short_number(v) + " " + std::string(units[i]);
}

std::string to_text(Bandwidth bandwidth) {
  const double v = bandwidth.bytes_per_second();
  if (v >= 1e9) return short_number(v / 1e9) + " GB/s";
  if (v >= 1e6) return short_number(v / 1e6) + " MB/s";
  return short_number(v / 1e3) + " kB/s";
}

std::string to_text(Seconds duration) {
  const double s = duration.count();
  if (std::isnan(s)) return "unknown";
  if (s <= 0) return "0 s";
  if (s > 1e15) return "for ever";
  if (s < 1e-6) return short_number(s * 1e9) + " ns";
  if (s < 1e-3) return short_number(s * 1e6) + " us";
  if (s < 1) return short_number(s * 1e3) + " ms";
  if (s < 120) return short_number(s) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(s));
  if (whole < 7200) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace topolaunch
