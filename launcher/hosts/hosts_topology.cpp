// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/hosts_topology.h"

#include <algorithm>
#include <utility>

namespace topolaunch::launcher {
namespace {

std::string before_dot(const std::string& name) { return name.substr(0, name.find('.')); }
bool has_domain(const std::string& name) { return name.find('.') != std::string::npos; }

topo::Warning note(std::string code, std::string message) {
  topo::Warning warning;
  warning.code = std::move(code);
  warning.severity = topo::Warning::Severity::note;
  warning.message = std::move(message);
  return warning;
}

/// "h01, h02, h03 and 5 more"
std::string some_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 4; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > 4) text += " and " + std::to_string(names.size() - 4) + " more";
  return text;
}

/// What hosts warn of, each sentence once with the hosts that say it.
void add_warnings(const std::vector<JobHost>& hosts,
                  const std::vector<std::optional<HostFacts>>& facts, topo::Topology& out) {
  std::vector<std::pair<topo::Warning, std::vector<std::string>>> said;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!facts[i]) continue;
    for (const topo::Warning& warning : facts[i]->topology.warnings) {
      const auto same = std::ranges::find_if(said, [&](const auto& one) {
        return one.first.code == warning.code && one.first.message == warning.message;
      });
      if (same == said.end()) {
        said.push_back({warning, {hosts[i].name}});
      } else {
        same->second.push_back(hosts[i].name);
      }
    }
  }
  for (auto& [warning, names] : said) {
    warning.message = some_of(names) + ": " + warning.message;
    out.warnings.push_back(std::move(warning));
  }
}

/// What hosts have asked, each answer once with the hosts that gave it.
void add_survey(const std::vector<JobHost>& hosts,
                const std::vector<std::optional<HostFacts>>& facts, topo::Topology& out) {
  std::vector<std::pair<topo::SurveyEntry, std::vector<std::string>>> said;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!facts[i]) continue;
    for (const topo::SurveyEntry& entry : facts[i]->topology.survey) {
      const auto same = std::ranges::find_if(said, [&](const auto& one) {
        return one.first.source == entry.source && one.first.status == entry.status &&
               one.first.why == entry.why;
      });
      if (same == said.end()) {
        said.push_back({entry, {hosts[i].name}});
      } else {
        same->second.push_back(hosts[i].name);
      }
    }
  }
  for (auto& [entry, names] : said) {
    entry.host = some_of(names);
    out.survey.push_back(std::move(entry));
  }
}

}  // namespace

bool is_described(const topo::Host& host) {
  return !host.cpus.empty() || !host.gpus.empty() || !host.numa.empty() || host.slots > 0;
}

int host_in(const topo::Topology& given, const std::string& name, const std::string& own_name) {
  const auto whole = [&](const std::string& wanted) {
    const auto at = std::ranges::find(given.hosts, wanted, &topo::Host::name);
    return at == given.hosts.end() ? -1 : static_cast<int>(at - given.hosts.begin());
  };
  if (const int at = whole(name); at >= 0) return at;
  if (const int at = own_name.empty() ? -1 : whole(own_name); at >= 0) return at;
  for (const std::string& wanted : {name, own_name}) {
    // Digits before the first dot: an address has no short form.
    if (wanted.empty() || before_dot(wanted).find_first_not_of("0123456789:") == std::string::npos) {
      continue;
    }
    int found = -1;
    int matches = 0;
    for (std::size_t h = 0; h < given.hosts.size(); ++h) {
      const std::string& other = given.hosts[h].name;
      if (before_dot(other) != before_dot(wanted)) continue;
      if (has_domain(other) && has_domain(wanted)) continue;
      found = static_cast<int>(h);
      ++matches;
    }
    if (matches == 1) return found;
  }
  return -1;
}

/// Rows and columns `rows` of a square of `n`; -1 is as far from all as the farthest.
std::vector<double> rows_of(const std::vector<double>& square, std::size_t n, const std::vector<int>& rows) {
  if (square.empty()) return {};
  const double farthest = *std::ranges::max_element(square);
  std::vector<double> result;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const bool known = rows[a] >= 0 && rows[b] >= 0;
      result.push_back(a == b ? 0 : known ? square[static_cast<std::size_t>(rows[a]) * n + static_cast<std::size_t>(rows[b])] : farthest);
    }
  }
  return result;
}

topo::Topology hosts_topology(const std::vector<JobHost>& hosts,
                              const std::vector<std::optional<HostFacts>>& facts,
                              const topo::Topology* given, const std::string& given_name) {
  topo::Topology out;
  std::vector<std::string> unplaced;
  std::vector<std::string> as_given;
  if (given != nullptr) {
    out.fabric = given->fabric;
    out.survey = given->survey;
    out.warnings = given->warnings;
    // What is said of hosts without a place is about the files' hosts; ours are looked at below.
    std::erase_if(out.warnings, [](const topo::Warning& w) { return w.code == "host-place-unknown"; });
  }
  out.fabric.leaf_of_host.clear();
  std::vector<int> rows;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const int at = given == nullptr
                       ? -1
                       : host_in(*given, hosts[i].name, facts[i] ? facts[i]->host_name : "");
    topo::Host host;
    if (at >= 0 && is_described(given->hosts[static_cast<std::size_t>(at)])) {
      host = given->hosts[static_cast<std::size_t>(at)];
      as_given.push_back(hosts[i].name);
    } else if (facts[i]) {
      host = facts[i]->topology.hosts.front();
    }
    host.name = hosts[i].name;
    if (hosts[i].slots > 0) host.slots = hosts[i].slots;
    int leaf = -1;
    if (at >= 0 && static_cast<std::size_t>(at) < given->fabric.leaf_of_host.size()) {
      leaf = given->fabric.leaf_of_host[static_cast<std::size_t>(at)];
    }
    if (given != nullptr && !given->fabric.empty() && leaf < 0) unplaced.push_back(hosts[i].name);
    out.fabric.leaf_of_host.push_back(leaf);
    rows.push_back(at);
    out.hosts.push_back(std::move(host));
  }
  if (given != nullptr) out.fabric.host_distances = rows_of(given->fabric.host_distances, given->hosts.size(), rows);
  add_survey(hosts, facts, out);
  add_warnings(hosts, facts, out);
  if (!unplaced.empty()) {
    topo::Warning warning = note("host-place-unknown", some_of(unplaced) + ": named by no switch of " +
                                                           given_name);
    warning.severity = topo::Warning::Severity::warning;
    out.warnings.push_back(std::move(warning));
  }
  if (!as_given.empty()) {
    out.warnings.push_back(note("host-as-given", some_of(as_given) + ": taken as " + given_name +
                                                     " describes it, not asked"));
  }
  return out;
}

}  // namespace topolaunch::launcher
