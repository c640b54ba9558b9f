// SPDX-License-Identifier: Apache-2.0
#include "topo/ibnetdiscover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "topo/ib_fabric.h"
#include "topo/line_cursor.h"
#include "topo/link_speed.h"

namespace topolaunch::topo {
namespace {

constexpr std::string_view kAggregation = "Aggregation Node";
constexpr std::string_view kAggregationDevice = "devid=0xcf09";  // SHARP's, in DGX dumps of 2025
constexpr int kMostPort = 1 << 16;

struct Rate {
  int width = 0;
  std::string speed;
  Bandwidth rate;
};

Rate rate_of(int width, std::string_view speed) {
  Rate rate;
  rate.width = width;
  rate.speed = speed;
  // "FDR10" and "SDR" are names; network_rate() knows them as four lanes.
  const auto four = network_rate(speed == "FDR10" ? "qdr" : speed);
  if (four && width > 0) rate.rate = *four * (width / 4.0);
  return rate;
}

/// The last "4xNDR" of the words behind a link; descriptions stand in quotes and don't count.
Rate rate_in(std::string_view comment) {
  if (const auto quote = comment.rfind('"'); quote != std::string_view::npos) {
    comment.remove_prefix(quote + 1);
  }
  Rate found;
  while (!comment.empty()) {
    LineCursor cursor(comment);
    cursor.blanks();
    const auto word = cursor.word();
    comment = cursor.rest();
    LineCursor inside(word);
    const auto width = inside.number(kMostPort);
    if (!width || *width > 12 || !inside.take("x") || inside.rest().empty()) continue;
    if (std::isupper(static_cast<unsigned char>(inside.rest().front())) == 0) continue;
    found = rate_of(*width, inside.rest());
  }
  return found;
}

class Builder {
 public:
  IbGraph graph;

  int node(std::string_view id) {
    const auto [at, added] =
        index_.try_emplace(std::string(id), static_cast<int>(graph.nodes.size()));
    if (added) {
      IbNode fresh;
      fresh.id = id;
      if (id.starts_with("S-")) fresh.kind = IbNode::Kind::fabric_switch;
      if (id.starts_with("H-")) fresh.kind = IbNode::Kind::host_adapter;
      graph.nodes.push_back(std::move(fresh));
    }
    return at->second;
  }
  IbNode& at(int node) { return graph.nodes[static_cast<std::size_t>(node)]; }

  void describe(int node, std::string_view words) {
    if (at(node).words.empty()) at(node).words = words;
    if (words.find(kAggregation) != std::string_view::npos) at(node).aggregation = true;
  }

  void link(int a, int port_a, int b, int port_b, const Rate& rate, int line) {
    // Both ends tell of it; the first one counts.
    if (!ends_.insert(end(a, port_a)).second) return;
    if (!ends_.insert(end(b, port_b)).second) return;
    graph.links.push_back({a, b, port_a, port_b, rate.width, rate.speed, rate.rate, line});
  }

  void strange(int line) {
    if (graph.strange++ == 0) graph.first_strange = line;
  }

 private:
  static std::uint64_t end(int node, int port) {
    return static_cast<std::uint64_t>(node) * kMostPort + static_cast<std::uint64_t>(port);
  }
  std::unordered_map<std::string, int> index_;
  std::unordered_set<std::uint64_t> ends_;
};

/// Records: a header line, then a line a port.
class Records {
 public:
  explicit Records(Builder& builder) : builder_(builder) {}

  void line(std::string_view text, int number) {
    if (text.starts_with("sysimgguid=")) {
      system_ = text.substr(11);
    } else if (text.starts_with(kAggregationDevice)) {
      aggregation_ = true;
    } else if (text.starts_with('[')) {
      if (!port(text, number)) builder_.strange(number);
    } else if (!header(text, number) && text.find('"') != std::string_view::npos) {
      builder_.strange(number);  // "vendid=", "Chassis 1" and the like say nothing for us
    }
  }
  /// The last record has a header and no port: nothing was behind the cut.
  bool open() const { return current_ >= 0 && ports_ == 0; }

 private:
  bool header(std::string_view text, int number) {
    LineCursor cursor(text);
    const auto kind = cursor.word();
    IbNode::Kind is = IbNode::Kind::unknown;
    if (kind == "Switch") is = IbNode::Kind::fabric_switch;
    if (kind == "Ca" || kind == "Hca") is = IbNode::Kind::host_adapter;
    if (kind == "Rt") is = IbNode::Kind::router;
    if (is == IbNode::Kind::unknown) return false;
    cursor.blanks();
    const auto ports = cursor.number(kMostPort);
    cursor.blanks();
    const auto id = cursor.quoted();
    current_ = -1;
    if (!ports || !id) return false;
    current_ = builder_.node(*id);
    ports_ = 0;
    IbNode& node = builder_.at(current_);
    node.kind = is;
    node.line = number;
    node.system = std::move(system_);
    node.aggregation = node.aggregation || aggregation_;
    system_.clear();
    aggregation_ = false;
    cursor.blanks();
    if (cursor.take("#")) {
      cursor.blanks();
      if (const auto words = cursor.quoted()) builder_.describe(current_, *words);
    } else if (!id->starts_with("S-") && !id->starts_with("H-")) {
      builder_.describe(current_, *id);  // net files call nodes by their names
    }
    return true;
  }

  bool port(std::string_view text, int number) {
    LineCursor cursor(text);
    cursor.take("[");
    const auto own = cursor.number(kMostPort);
    if (!own || !cursor.take("]") || current_ < 0) return false;
    cursor.parenthesis();
    cursor.blanks();
    const auto id = cursor.quoted();
    if (!id) return false;
    cursor.blanks();
    const auto other = cursor.take("[") ? cursor.number(kMostPort) : std::nullopt;
    if (!other || !cursor.take("]")) return false;
    cursor.parenthesis();
    cursor.blanks();
    ++ports_;
    const int peer = builder_.node(*id);
    if (cursor.take("#")) {
      cursor.blanks();
      LineCursor words = cursor;
      if (const auto said = words.quoted()) builder_.describe(peer, *said);
    }
    builder_.link(current_, *own, peer, *other, rate_in(cursor.rest()), number);
    return true;
  }

  Builder& builder_;
  std::string system_;
  bool aggregation_ = false;
  int current_ = -1;
  int ports_ = 0;
};

/// CA    44  1 0x000000000010001f 4x SDR - SW    28  4 0x0000000000200003 ( 'host16' - 'leaf4' )
bool read_port_line(std::string_view text, int number, Builder& builder) {
  LineCursor cursor(text);
  struct End {
    int node = -1, port = 0;
  };
  const auto end = [&]() -> std::optional<End> {
    const auto kind = cursor.word();
    if (kind != "CA" && kind != "SW" && kind != "RT") return {};
    cursor.blanks();
    if (!cursor.number(kMostPort)) return {};  // lid
    cursor.blanks();
    const auto port = cursor.number(kMostPort);
    cursor.blanks();
    const auto guid = cursor.word();
    cursor.blanks();
    if (!port || !guid.starts_with("0x")) return {};
    End found{builder.node(fmt::format("{}-{}", kind == "SW" ? "S" : "H", guid.substr(2))), *port};
    builder.at(found.node).line = number;
    return found;
  };
  const auto from = end();
  if (!from) return false;
  const auto width = cursor.number(kMostPort);
  if (!width || !cursor.take("x")) return false;
  cursor.blanks();
  const auto speed = cursor.word();
  cursor.blanks();
  if (!cursor.take("-")) return true;  // a port without a cable
  cursor.blanks();
  const auto to = end();
  if (!to) return false;
  if (cursor.take("(")) {
    // ( 'o0001 HCA-1' - 'leaf' ): names may hold blanks and dashes
    cursor.blanks();
    if (const auto words = cursor.quoted('\'')) builder.describe(from->node, *words);
    cursor.blanks();
    cursor.take("-");
    cursor.blanks();
    if (const auto words = cursor.quoted('\'')) builder.describe(to->node, *words);
  }
  builder.link(from->node, from->port, to->node, to->port, rate_of(*width, speed), number);
  return true;
}

bool is_port_line(std::string_view line) {
  return line.starts_with("CA ") || line.starts_with("SW ") || line.starts_with("RT ");
}
bool is_list_line(std::string_view line) {
  const bool kind = line.starts_with("Ca\t") || line.starts_with("Switch\t") ||
                    line.starts_with("Ca ") || line.starts_with("Switch ");
  return kind && line.find(" : 0x") != std::string_view::npos;
}
bool is_header(std::string_view line) {
  for (const std::string_view kind : {"Switch", "Ca", "Hca", "Rt"}) {
    if (!line.starts_with(kind)) continue;
    LineCursor cursor(line.substr(kind.size()));
    cursor.blanks();
    if (!cursor.number(kMostPort)) continue;
    cursor.blanks();
    if (cursor.rest().starts_with('"')) return true;
  }
  return false;
}

template <class Visit>  // called with (line, number); stops at false
void each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!visit(line, number)) return;
  }
}

}  // namespace

bool looks_like_ibnetdiscover(std::string_view text) {
  bool found = false;
  each_line(text.substr(0, 1 << 16), [&found](std::string_view line, int) {
    if (line.empty() || line.starts_with('#')) return true;
    found = is_header(line) || is_list_line(line) ||
            (is_port_line(line) && line.find(" 0x") != std::string_view::npos);
    const bool before_a_header = line.starts_with("vendid=") || line.starts_with("devid=") ||
                                 line.find("guid=0x") != std::string_view::npos ||
                                 line.find("Chassis") != std::string_view::npos;
    return !found && before_a_header;
  });
  return found;
}

IbGraph ib_graph(std::string_view text) {
  Builder builder;
  Records records(builder);
  int last = 0;
  std::string_view last_line;
  each_line(text, [&](std::string_view line, int number) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return true;
    last = number;
    last_line = line;
    if (line.starts_with('#')) return true;
    if (is_port_line(line)) {
      if (!read_port_line(line, number, builder)) builder.strange(number);
    } else {
      records.line(line, number);
    }
    return true;
  });
  // Lines end in a newline, and those of links in their rate where the program shows rates.
  const bool rates = std::any_of(builder.graph.links.begin(), builder.graph.links.end(),
                                 [](const IbLink& link) { return link.rate.known(); });
  const bool torn =
      !text.ends_with('\n') &&
      (std::count(last_line.begin(), last_line.end(), '"') % 2 != 0 ||
       builder.graph.first_strange == last || (rates && rate_in(last_line).speed.empty()));
  builder.graph.cut = torn || records.open();
  return std::move(builder.graph);
}

Result<std::vector<Fact>> facts_from_ibnetdiscover(std::string_view text, const std::string& file) {
  bool list = false;
  each_line(text, [&list](std::string_view line, int) {
    list = is_list_line(line);
    return line.empty() || line.starts_with('#');
  });
  if (list) {
    return fail(Error{Code::invalid_input,
                      "a list of InfiniBand nodes (ibnetdiscover -l) has no links",
                      "dump it with: ibnetdiscover", file, 1});
  }
  return ib_fabric_facts(ib_graph(text), file);
}

}  // namespace topolaunch::topo
