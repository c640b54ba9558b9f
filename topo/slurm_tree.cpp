// SPDX-License-Identifier: Apache-2.0
#include "topo/slurm_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "topo/host_list.h"

namespace topolaunch::topo {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

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

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Result<std::vector<Fact>> read(std::string_view text) {
    for (const auto& line : lines_of(text)) {
      if (auto done = read_line(line); !done) return tl::unexpected(std::move(done.error()));
    }
    if (switches_.empty()) {
      return fail(Error{Code::invalid_input, "the topology.conf describes no switch",
                        "a line is like SwitchName=leaf1 Nodes=n[1-16]", file_, 0});
    }
    for (const auto& [child, parent] : parents_) {
      const auto at = index_.find(child);
      if (at == index_.end()) {
        finding("switch-unknown", parent.line,
                fmt::format("switch {} has {} below it, which no line describes", parent.name,
                            child));
      } else {
        switches_[at->second].second.parent = parent.name;
      }
    }
    for (auto& [line, box] : switches_) {
      facts_.push_back({{"slurm", file_, line}, {}, std::move(box)});
    }
    return std::move(facts_);
  }

 private:
  struct Parent {
    std::string name;
    int line;
  };

  void finding(std::string code, int line, std::string message) {
    facts_.push_back({{"slurm", file_, line},
                      {},
                      WarningFact{{std::move(code), Warning::Severity::error, file_, line,
                                   std::move(message)}}});
  }

  Status read_line(const Line& line) {
    SwitchFact box;
    std::vector<std::string> children;
    bool any = false;
    bool broken = false;
    for (const auto& entry : words_of(line.text)) {
      const auto equals = entry.find('=');
      const std::string key = lower(entry.substr(0, equals));
      const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
      if (equals == std::string::npos) {
        finding("slurm-stray-word", line.number,
                fmt::format("'{}' stands alone: a blank splits the list before it", entry));
      } else if (key == "switchname") {
        box.name = value;
        any = true;
      } else if (key == "nodes" || key == "switches") {
        auto names = expand_host_list(value);
        if (!names) {
          finding("slurm-host-list", line.number, names.error().message);
          broken = true;
        } else {
          (key == "nodes" ? box.hosts : children) = std::move(*names);
        }
      } else if (key == "blockname" || key == "blocksizes" || key == "ringname") {
        return fail(Error{Code::invalid_input,
                          fmt::format("{} is of Slurm's block or ring form, which isn't read yet",
                                      entry.substr(0, equals)),
                          "give the tree form (SwitchName=...)", file_, line.number});
      } else if (key != "linkspeed") {
        finding("slurm-unknown-key", line.number, fmt::format("'{}' is no key of topology.conf",
                                                              entry.substr(0, equals)));
      }
    }
    if (!any) return {};
    total_ += box.hosts.size() + children.size();
    if (total_ > (std::size_t{1} << 21)) {
      return fail(Error{Code::invalid_input, "more than 2,097,152 names", {}, file_, line.number});
    }
    if (box.hosts.empty() && children.empty() && !broken) {
      finding("switch-empty", line.number,
              fmt::format("switch {} has neither Nodes nor Switches", box.name));
      return {};
    }
    if (!index_.emplace(box.name, switches_.size()).second) {
      finding("switch-repeated", line.number,
              fmt::format("switch {} is described on line {} already", box.name,
                          switches_[index_[box.name]].first));
      return {};
    }
    for (auto& child : children) {
      const auto [at, added] = parents_.try_emplace(child, Parent{box.name, line.number});
      if (!added) {
        finding("switch-two-parents", line.number,
                fmt::format("switch {} hangs below {} and {}; the first is used", child,
                            at->second.name, box.name));
      }
    }
    switches_.emplace_back(line.number, std::move(box));
    return {};
  }

  const std::string& file_;
  std::vector<Fact> facts_;
  std::vector<std::pair<int, SwitchFact>> switches_;  ///< with the line
  std::map<std::string, std::size_t> index_;
  std::map<std::string, Parent> parents_;  ///< of child switches
  std::size_t total_ = 0;
};

}  // namespace

bool looks_like_topology_conf(std::string_view text) {
  for (const auto& line : lines_of(text.substr(0, 1 << 16))) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    const std::string first = lower(words.front());
    for (const std::string_view key : {"switchname=", "blockname=", "blocksizes=", "ringname="}) {
      if (first.starts_with(key)) return true;
    }
    return false;
  }
  return false;
}

Result<std::vector<Fact>> facts_from_topology_conf(std::string_view text,
                                                   const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace topolaunch::topo
