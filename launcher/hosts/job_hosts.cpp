// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/job_hosts.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "topo/host_list.h"

namespace topolaunch::launcher {
namespace {

constexpr int kMostSlots = 1 << 16;

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A word of a list with the column (from 1) at which it begins.
struct Word {
  std::string_view text;
  std::size_t column = 1;
};

Error at_column(std::string_view list, std::size_t column, const std::string& what) {
  std::string message = "host list '" + std::string(list) + "', column " + std::to_string(column) +
                        ": " + what;
  return Error{Code::wrong_usage, std::move(message),
               "write it like g[001-004,007]:8,login-a, in quotes", {}, 0};
}

/// Words between commas and blanks that stand outside brackets.
Result<std::vector<Word>> words_of(std::string_view list) {
  std::vector<Word> words;
  std::size_t begin = 0;
  std::size_t open = std::string_view::npos;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (i < list.size() && c == '[') {
      if (open != std::string_view::npos) {
        return fail(at_column(list, i + 1, "a second '[' before the one of column " +
                                               std::to_string(open + 1) + " is closed"));
      }
      open = i;
    } else if (i < list.size() && c == ']') {
      if (open == std::string_view::npos) {
        return fail(at_column(list, i + 1, "']' closes no bracket"));
      }
      open = std::string_view::npos;
    } else if (i == list.size() || (open == std::string_view::npos && (c == ',' || is_blank(c)))) {
      if (i > begin) words.push_back({list.substr(begin, i - begin), begin + 1});
      begin = i + 1;
    }
  }
  if (open != std::string_view::npos) {
    return fail(at_column(list, open + 1, "'[' is not closed"));
  }
  return words;
}

/// An IPv6 address, with the interface behind it where it is link-local (fe80::1%eth0). It goes on
/// command lines as it is, so nothing else may pass.
bool is_address(std::string_view text) {
  const std::string digits(text.substr(0, text.find('%')));
  in6_addr parsed{};
  if (::inet_pton(AF_INET6, digits.c_str(), &parsed) != 1) return false;
  const std::string_view scope = text.substr(digits.size());
  return scope.empty() || (scope.size() > 1 && std::ranges::all_of(scope.substr(1), [](char c) {
                             return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                                    c == '.' || c == '-' || c == '_';
                           }));
}

/// One word: names with their slots. The error has no place yet.
Result<std::vector<JobHost>> hosts_of(std::string_view word) {
  std::string_view names = word;
  std::string_view slots;
  bool has_slots = false;
  const bool address_in_brackets =
      word.starts_with('[') && word.substr(0, word.find(']')).find(':') != std::string_view::npos;
  if (address_in_brackets) {
    const auto close = word.find(']');
    names = word.substr(1, close - 1);
    const std::string_view rest = word.substr(close + 1);
    has_slots = rest.starts_with(':');
    if (has_slots) slots = rest.substr(1);
    if (!has_slots && !rest.empty()) {
      return fail(Code::wrong_usage, "'" + std::string(rest) + "' behind an address in brackets");
    }
  } else if (std::ranges::count(word, ':') == 1) {  // more than one: an IPv6 address
    has_slots = true;
    names = word.substr(0, word.find(':'));
    slots = word.substr(word.find(':') + 1);
  }
  JobHost host;
  if (has_slots) {
    const auto count = number(slots);
    if (!count || *count < 1 || *count > kMostSlots) {
      return fail(Code::wrong_usage, "'" + std::string(slots) +
                                         "' is no number of slots (1 to 65536)");
    }
    host.slots = *count;
  }
  if (address_in_brackets) {
    if (!is_address(names)) {
      return fail(Code::wrong_usage, "'" + std::string(names) + "' is no IPv6 address",
                  "brackets with a ':' inside hold one, like [2001:db8::7]:2");
    }
    host.name = names;
    return std::vector<JobHost>{host};
  }
  if (names.starts_with('-')) {
    return fail(Code::wrong_usage, "a host name does not begin with '-'");
  }
  auto expanded = topo::expand_host_list(names);
  if (!expanded) {
    Error error = std::move(expanded).error();
    // The list is named by whoever knows all of it.
    const std::string head = "host list '" + std::string(names) + "': ";
    if (error.message.starts_with(head)) error.message.erase(0, head.size());
    return fail(std::move(error));
  }
  if (expanded->empty()) return fail(Code::wrong_usage, "no host name");
  std::vector<JobHost> hosts;
  for (std::string& name : *expanded) {
    host.name = std::move(name);
    hosts.push_back(host);
  }
  return hosts;
}

/// Hosts in order of first appearance.
class Gathered {
 public:
  Status add(JobHost host) {
    host.stated = host.slots;
    const auto [at, fresh] = number_.emplace(host.name, hosts_.size());
    if (!fresh) return add_repeat(hosts_[at->second], host);
    hosts_.push_back(std::move(host));
    return {};
  }
  std::vector<JobHost> take() { return std::move(hosts_); }

 private:
  std::vector<JobHost> hosts_;
  std::unordered_map<std::string, std::size_t> number_;
};

/// "slots=4": as Open MPI's hostfile_lex.l (4.1.4) spells them; Slurm and DeepSpeed use the first.
Status read_option(std::string_view word, JobHost& host) {
  static constexpr std::array<std::string_view, 4> kSlots{"slots", "slot", "cpu", "count"};
  static constexpr std::array<std::string_view, 8> kMost{
      "max_slots", "max-slots", "slots_max", "slots-max",
      "cpu_max",   "cpu-max",   "count_max", "count-max"};
  const auto equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const bool slots = std::ranges::find(kSlots, key) != kSlots.end();
  const bool most = std::ranges::find(kMost, key) != kMost.end();
  if (equals == std::string_view::npos) {
    return fail(Code::invalid_input, "'" + std::string(word) + "' is no option",
                "write slots=N behind the name");
  }
  if (!slots && !most) return {};  // of another launcher: username=, ifhn=, ...
  const auto count = number(word.substr(equals + 1));
  if (!count || *count < 1 || *count > kMostSlots) {
    return fail(Code::invalid_input,
                "'" + std::string(word) + "' is no number of slots (1 to 65536)");
  }
  if (slots && host.slots > 0) {
    return fail(Code::invalid_input, "slots are given twice in one line");
  }
  (slots ? host.slots : host.max_slots) = *count;
  return {};
}

Status read_line(std::string_view line, const std::string& file, int number, Gathered& gathered) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > begin) words.push_back(line.substr(begin, i - begin));
  }
  if (words.empty()) return {};
  if (words.front().starts_with('^') || words.front().starts_with('+')) {
    return fail(Code::invalid_input, "'" + std::string(words.front()) + "' stands for no host",
                "write host names; leave hosts out with --exclude");
  }
  JobHost options;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (Status ok = read_option(words[i], options); !ok) return ok;
  }
  auto list = words_of(words.front());
  if (!list) return fail(std::move(list).error());
  for (const Word& word : *list) {
    auto hosts = hosts_of(word.text);
    if (!hosts) return fail(std::move(hosts).error());
    for (JobHost& host : *hosts) {
      if (host.slots > 0 && options.slots > 0) {
        return fail(Code::invalid_input, "slots are given twice in one line");
      }
      host.slots = std::max(host.slots, options.slots);
      host.max_slots = options.max_slots;
      host.file = file;
      host.line = number;
      if (Status ok = gathered.add(std::move(host)); !ok) return ok;
    }
  }
  return {};
}

}  // namespace

Status add_repeat(JobHost& known, const JobHost& again) {
  const bool other_limit = known.max_slots > 0 && again.max_slots > 0 &&
                           known.max_slots != again.max_slots;
  if (known.stated != again.stated || other_limit) {
    const auto said = [](const JobHost& host) {
      std::string text = host.stated == 0   ? "no slots"
                         : host.stated == 1 ? "1 slot"
                                            : std::to_string(host.stated) + " slots";
      if (host.max_slots > 0) text += " (at most " + std::to_string(host.max_slots) + ")";
      return text;
    };
    const std::string name =
        known.name == again.name ? known.name : again.name + ", which is " + known.name + ",";
    Error error{Code::wrong_usage,
                "host " + name + " has " + said(again) + " here and " + said(known) +
                    (known.file.empty() ? " before" : " in line " + std::to_string(known.line)),
                "name it once, or with the same slots each time (repeats add up)", {}, 0};
    if (!again.file.empty()) {
      error.code = Code::invalid_input;
      error = std::move(error).at(again.file, again.line);
    }
    return fail(std::move(error));
  }
  if (known.max_slots == 0) known.max_slots = again.max_slots;
  // A bare name counts one each time it comes.
  known.slots = std::max(1, known.slots) + std::max(1, again.slots);
  if (known.slots > kMostSlots) {
    return fail(Code::wrong_usage, "host " + known.name + " has more than 65536 slots");
  }
  return {};
}

Result<std::vector<JobHost>> parse_hostfile(std::string_view text, const std::string& file) {
  Gathered gathered;
  int number = 0;
  if (text.find('\0') != std::string_view::npos) {
    return fail(Error{Code::invalid_input, "the hostfile holds binary data", {}, file, 0});
  }
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (Status ok = read_line(line, file, ++number, gathered); !ok) {
      Error error = std::move(ok).error();
      error.code = Code::invalid_input;
      return fail(std::move(error).at(file, number));
    }
  }
  auto hosts = gathered.take();
  if (hosts.empty()) {
    return fail(Error{Code::invalid_input, "the hostfile names no host",
                      "write one host a line: g001 slots=8", file, 0});
  }
  return hosts;
}

Result<std::vector<JobHost>> parse_job_hosts(const std::string& hosts, const Files& files) {
  if (hosts.starts_with('@')) {
    const std::string file = hosts.substr(1);
    auto text = files.read(file, std::size_t{64} << 20);
    if (!text) {
      return fail(Error{Code::invalid_input,
                        text.error().code == Code::not_found ? "there is no such hostfile"
                                                             : text.error().message,
                        "check the path behind --hosts @", file, 0});
    }
    return parse_hostfile(*text, file);
  }
  auto words = words_of(hosts);
  if (!words) return fail(std::move(words).error());
  Gathered gathered;
  for (const Word& word : *words) {
    auto named = hosts_of(word.text);
    if (!named) {
      Error error = at_column(hosts, word.column, named.error().message);
      if (const std::string meant = meant_hostfile(hosts, files); !meant.empty()) error.next = meant;
      return fail(std::move(error));
    }
    for (JobHost& host : *named) {
      if (Status ok = gathered.add(std::move(host)); !ok) {
        Error error = at_column(hosts, word.column, ok.error().message);
        error.next = ok.error().next;
        return fail(std::move(error));
      }
    }
  }
  auto all = gathered.take();
  if (all.empty()) {
    return fail(Code::wrong_usage, "--hosts names no host", "write it like --hosts g[001-004]");
  }
  return all;
}

std::string meant_hostfile(const std::string& hosts, const Files& files) {
  const bool file = !hosts.empty() && files.exists(hosts) && !files.list(hosts);
  return file ? "did you mean --hosts @" + hosts + "?" : std::string();
}

}  // namespace topolaunch::launcher
