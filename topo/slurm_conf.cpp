// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/lower_case.h"
#include "topo/slurm_fabric.h"

namespace topolaunch::topo {
namespace {

struct Line {
  int number = 0;
  std::string text;
};

/// Lines without comments; a backslash at the end continues a line.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  bool continued = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) {
      line.remove_suffix(1);
    }
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    if (continued) {
      lines.back().text += line;
    } else {
      lines.push_back({number, std::string(line)});
    }
    continued = goes_on;
  }
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < line.size()) {
    if (std::isspace(static_cast<unsigned char>(line[i]))) {
      ++i;
      continue;
    }
    const auto start = i;
    while (i < line.size() && !std::isspace(static_cast<unsigned char>(line[i]))) ++i;
    words.push_back(line.substr(start, i - start));
  }
  return words;
}

constexpr std::array<std::string_view, 6> kStatements{"switchname", "blockname", "blocksizes",
                                                      "ringname",   "torusname", "aggregatedblock"};

/// What else stands on a line; scontrol shows more than topology.conf takes.
constexpr std::array<std::string_view, 8> kPassedOver{"linkspeed", "level",    "blockindex",
                                                      "blocksize", "ringsize", "placementdims",
                                                      "anchors",   "dims"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// The numbers of "18,36" or "4x2x2"; empty if there is anything else.
std::vector<int> numbers(std::string_view text, char separator) {
  std::vector<int> found;
  while (true) {
    const auto end = text.find(separator);
    const auto value = number(text.substr(0, end));
    if (!value || *value > (1 << 20) || found.size() > 64) return {};
    found.push_back(*value);
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

/// One line, taken apart.
struct Statement {
  std::string kind, name;  ///< "switchname", "leaf1"
  std::vector<std::string> hosts, children;
  std::array<int, 3> dims{0, 0, 0};
  bool from_scontrol = false, placement = false, unread = false;
};

class Reader {
 public:
  explicit Reader(const std::string& file) : fabric_(file), file_(file) {}

  Result<std::vector<Fact>> read(std::string_view text) {
    for (const auto& line : lines_of(text)) {
      place(line.number, parse(line));
      if (fabric_.too_much()) {
        return fail(Error{Code::invalid_input,
                          fmt::format("more than {} names", SlurmFabric::kMostNames),
                          {},
                          file_,
                          line.number});
      }
    }
    return std::move(fabric_).facts("a line is like SwitchName=leaf1 Nodes=n[1-16]");
  }

 private:
  Statement parse(const Line& line) {
    Statement said;
    for (const auto& entry : words_of(line.text)) {
      const auto equals = entry.find('=');
      const std::string key = lower_case(entry.substr(0, equals));
      const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
      const auto is_one_of = [&key](const auto& keys) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
      };
      if (equals == std::string::npos) {
        fabric_.finding("slurm-stray-word", line.number,
                        fmt::format("'{}' stands alone: a blank splits the list before it", entry));
      } else if (is_one_of(kStatements)) {
        said.kind = key;
        said.name = value;
      } else if (key == "nodes" || key == "switches") {
        if (auto names = fabric_.names(value, line.number)) {
          (key == "nodes" ? said.hosts : said.children) = std::move(*names);
        } else {
          said.unread = true;
        }
      } else if (!is_one_of(kPassedOver)) {
        fabric_.finding("slurm-unknown-key", line.number,
                        fmt::format("'{}' is no key of topology.conf", entry.substr(0, equals)));
      }
      said.from_scontrol = said.from_scontrol || key == "level";
      said.placement = said.placement || key == "placementdims";
      if (key == "dims") {
        const auto dims = numbers(lower_case(value), 'x');
        if (dims.size() == 3) std::copy(dims.begin(), dims.end(), said.dims.begin());
      }
    }
    return said;
  }

  void place(int line, Statement said) {
    if (said.kind == "switchname") {
      // scontrol repeats at every switch the hosts of the switches below it.
      if (said.from_scontrol && !said.children.empty()) said.hosts.clear();
      fabric_.add_switch(line, said.name, std::move(said.hosts), said.children, said.unread);
    } else if (said.kind == "blockname") {
      fabric_.add_block(line, said.name, std::move(said.hosts));
    } else if (said.kind == "blocksizes") {
      fabric_.set_block_sizes(line, numbers(said.name, ','));
    } else if (said.kind == "aggregatedblock") {
      if (auto blocks = fabric_.names(said.name, line)) fabric_.add_aggregate(std::move(*blocks));
    } else if (said.kind == "ringname") {
      fabric_.add_ring(line, said.name, std::move(said.hosts));
    } else if (said.kind == "torusname" && !said.placement) {
      fabric_.add_torus(line, said.name, said.dims, std::move(said.hosts));
    }
  }

  SlurmFabric fabric_;
  const std::string& file_;
};

}  // namespace

bool looks_like_topology_conf(std::string_view text) {
  for (const auto& line : lines_of(text.substr(0, 1 << 16))) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    const std::string first = lower_case(words.front());
    for (const std::string_view key : kStatements) {
      if (first.starts_with(key) && first.substr(key.size()).starts_with('=')) return true;
    }
    return false;
  }
  return false;
}

Result<std::vector<Fact>> facts_from_topology_conf(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace topolaunch::topo
