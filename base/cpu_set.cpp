// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace topolaunch {
namespace {

bool take_int(std::string_view& s, int& value) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || value < 0) return false;
  s.remove_prefix(static_cast<std::size_t>(end - s.data()));
  return true;
}

tl::unexpected<Error> bad_list(std::string_view text) {
  return fail(Code::invalid_input, fmt::format("'{}' is not a CPU list", text),
              "write it like 0-3,8-11");
}

}  // namespace

CpuSet::CpuSet(std::initializer_list<int> cpus) {
  for (const int cpu : cpus) add(cpu);
}

Result<CpuSet> CpuSet::from_list(std::string_view text) {
  std::string_view s = text;
  while (!s.empty() && (s.back() == '\n' || s.back() == ' ' || s.back() == '\t'))
    s.remove_suffix(1);
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  CpuSet set;
  while (!s.empty()) {
    int first = 0;
    if (!take_int(s, first)) return bad_list(text);
    int last = first;
    int step = 1;
    if (!s.empty() && s.front() == '-') {
      s.remove_prefix(1);
      if (!take_int(s, last) || last < first) return bad_list(text);
      if (!s.empty() && s.front() == ':') {
        s.remove_prefix(1);
        if (!take_int(s, step) || step == 0) return bad_list(text);
      }
    }
    if (last >= kMaxCpu) return bad_list(text);
    if (step == 1) {
      set.add_range(first, last);
    } else {
      for (int cpu = first; cpu <= last; cpu += std::min(step, kMaxCpu)) set.add(cpu);
    }
    if (s.empty()) break;
    if (s.front() != ',' || s.size() == 1) return bad_list(text);
    s.remove_prefix(1);
  }
  return set;
}

Result<CpuSet> CpuSet::from_mask(std::string_view text) {
  std::string digits;
  std::string_view s = text;
  while (!s.empty() && (s.back() == '\n' || s.back() == ' ')) s.remove_suffix(1);
  // Words are joined at their full width of 8 digits; only the first may be shorter.
  bool first_word = true;
  while (true) {
    const auto comma = s.find(',');
    std::string_view word = s.substr(0, comma);
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
    const bool hex =
        !word.empty() && word.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (!hex || (comma != std::string_view::npos || !first_word ? word.size() > 8 : false)) {
      return fail(Code::invalid_input, fmt::format("'{}' is not a CPU mask", text),
                  "write it like 00000000,ffffffff");
    }
    if (!first_word) digits.append(8 - word.size(), '0');
    digits += word;
    first_word = false;
    if (comma == std::string_view::npos) break;
    s.remove_prefix(comma + 1);
  }
  CpuSet set;
  if (digits.size() * 4 > kMaxCpu) {
    return fail(Code::invalid_input, "a CPU mask of more than 65536 bits");
  }
  int bit = 0;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it, bit += 4) {
    const int nibble = *it <= '9' ? *it - '0' : (*it | 0x20) - 'a' + 10;
    for (int i = 0; i < 4; ++i) {
      if ((nibble >> i) & 1) set.add(bit + i);
    }
  }
  return set;
}

void CpuSet::add(int cpu) {
  if (cpu < 0 || cpu >= kMaxCpu) return;
  const auto word = static_cast<std::size_t>(cpu) / 64;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (cpu % 64);
}

void CpuSet::add_range(int first, int last) {
  first = std::max(first, 0);
  last = std::min(last, kMaxCpu - 1);
  if (first > last) return;
  // By words: a hostile list repeats long ranges as often as it likes.
  const auto first_word = static_cast<std::size_t>(first) / 64;
  const auto last_word = static_cast<std::size_t>(last) / 64;
  if (last_word >= words_.size()) words_.resize(last_word + 1);
  for (std::size_t i = first_word; i <= last_word; ++i) {
    std::uint64_t word = ~std::uint64_t{0};
    if (i == first_word) word &= ~std::uint64_t{0} << (first % 64);
    if (i == last_word) word &= ~std::uint64_t{0} >> (63 - last % 64);
    words_[i] |= word;
  }
}

void CpuSet::remove(int cpu) {
  if (!contains(cpu)) return;
  words_[static_cast<std::size_t>(cpu) / 64] &= ~(std::uint64_t{1} << (cpu % 64));
  trim();
}

bool CpuSet::contains(int cpu) const {
  if (cpu < 0) return false;
  const auto word = static_cast<std::size_t>(cpu) / 64;
  return word < words_.size() && ((words_[word] >> (cpu % 64)) & 1) != 0;
}

bool CpuSet::empty() const { return words_.empty(); }

int CpuSet::size() const {
  int n = 0;
  for (const auto word : words_) n += std::popcount(word);
  return n;
}

int CpuSet::first() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) return static_cast<int>(i * 64) + std::countr_zero(words_[i]);
  }
  return -1;
}

int CpuSet::last() const {
  if (words_.empty()) return -1;
  return static_cast<int>(words_.size() * 64) - 1 - std::countl_zero(words_.back());
}

std::vector<int> CpuSet::to_vector() const {
  std::vector<int> cpus;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (auto word = words_[i]; word != 0; word &= word - 1) {
      cpus.push_back(static_cast<int>(i * 64) + std::countr_zero(word));
    }
  }
  return cpus;
}

std::string CpuSet::to_list() const {
  std::string out;
  const auto cpus = to_vector();
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t j = i;
    while (j + 1 < cpus.size() && cpus[j + 1] == cpus[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += std::to_string(cpus[i]);
    if (j > i) out += '-' + std::to_string(cpus[j]);
    i = j + 1;
  }
  return out;
}

std::string CpuSet::to_mask() const {
  if (words_.empty()) return "00000000";
  std::string out;
  for (std::size_t i = words_.size() * 2; i-- > 0;) {
    const auto word = static_cast<std::uint32_t>(words_[i / 2] >> (i % 2 * 32));
    if (out.empty() && word == 0) continue;
    if (!out.empty()) out += ',';
    out += fmt::format("{:08x}", word);
  }
  return out;
}

bool CpuSet::intersects(const CpuSet& other) const {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool CpuSet::includes(const CpuSet& other) const { return (other - *this).empty(); }

CpuSet operator&(const CpuSet& a, const CpuSet& b) {
  CpuSet out;
  out.words_.resize(std::min(a.words_.size(), b.words_.size()));
  for (std::size_t i = 0; i < out.words_.size(); ++i) out.words_[i] = a.words_[i] & b.words_[i];
  out.trim();
  return out;
}

CpuSet operator|(const CpuSet& a, const CpuSet& b) {
  CpuSet out = a.words_.size() >= b.words_.size() ? a : b;
  const CpuSet& small = a.words_.size() >= b.words_.size() ? b : a;
  for (std::size_t i = 0; i < small.words_.size(); ++i) out.words_[i] |= small.words_[i];
  return out;
}

CpuSet operator-(const CpuSet& a, const CpuSet& b) {
  CpuSet out = a;
  for (std::size_t i = 0; i < std::min(a.words_.size(), b.words_.size()); ++i) {
    out.words_[i] &= ~b.words_[i];
  }
  out.trim();
  return out;
}

void CpuSet::trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

}  // namespace topolaunch
