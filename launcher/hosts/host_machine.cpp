// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_machine.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "launcher/engine/shim_command.h"
#include "launcher/hosts/ask_hosts.h"
#include "launcher/hosts/host_cache.h"
#include "launcher/hosts/host_facts.h"
#include "launcher/hosts/hosts_topology.h"
#include "launcher/hosts/own_networks.h"
#include "launcher/hosts/remote_agent.h"
#include "launcher/machine.h"
#include "launcher/supervise/host_id.h"
#include "launcher/supervise/network.h"
#include "topo/link_rate.h"

namespace topolaunch::launcher {
namespace {

using Facts = std::vector<std::optional<HostFacts>>;

/// Which of these names mean this host. Names are resolved side by side: a server of names that is
/// silent costs its time once.
std::vector<bool> which_are_this_host(const std::vector<std::string>& names) {
  std::vector<char> own(names.size(), 0);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < names.size(); i = next++) {
      own[i] = is_this_machine(names[i]) ? 1 : 0;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(names.size(), 16); ++i) {
      threads.emplace_back(work);
    }
    work();
  }
  return {own.begin(), own.end()};
}

std::string given_name(const TopologyOptions& options) {
  std::string name;
  for (const std::string& one : options.topologies) name += (name.empty() ? "" : ", ") + one;
  return name;
}

/// Fills in what is not known yet of the hosts `wanted`, from the cache or by asking.
Status find_out(const std::vector<JobHost>& hosts, const std::vector<std::size_t>& wanted,
                const TopologyOptions& options, const Outside& outside, Facts& facts) {
  std::vector<std::size_t> unknown;
  for (const std::size_t i : wanted) {
    if (!options.refresh) facts[i] = remembered_host(hosts[i].name, outside);
    if (!facts[i]) unknown.push_back(i);
  }
  if (unknown.empty()) return {};
  std::vector<std::string> names;
  for (const std::size_t i : unknown) names.push_back(hosts[i].name);
  const std::vector<bool> own = which_are_this_host(names);
  std::vector<std::size_t> others;
  for (std::size_t n = 0; n < unknown.size(); ++n) {
    if (!own[n]) {
      others.push_back(unknown[n]);
      continue;
    }
    auto here = own_facts(outside);
    if (!here) return fail(std::move(here).error().within(names[n]));
    facts[unknown[n]] = std::move(*here);
  }
  if (others.empty()) return {};
  HostQuestion question;
  auto agent = remote_agent(options.engine_args, outside);
  if (!agent) return fail(std::move(agent).error());
  question.agent = std::move(*agent);
  question.program = own_executable();
  names.clear();
  for (const std::size_t i : others) names.push_back(hosts[i].name);
  auto answers = ask_hosts(names, question, outside);
  bool all = true;
  for (std::size_t n = 0; n < others.size(); ++n) {
    all = all && answers[n].has_value();
    if (answers[n]) remember_host(names[n], *answers[n], outside);
  }
  if (!all) {
    Error error = no_answer(names, answers);
    const std::string meant = meant_hostfile(options.hosts, outside.files);
    if (!meant.empty()) error.next = meant;
    return fail(std::move(error));
  }
  for (std::size_t n = 0; n < others.size(); ++n) facts[others[n]] = std::move(*answers[n]);
  return {};
}

/// What two names of one host have in common: what it said of itself, or its description in `given`.
/// A host that --topology describes is not asked; then only its names tell.
std::vector<std::string> marks_of(const JobHost& host, const std::optional<HostFacts>& facts,
                                  const topo::Topology* given, const std::string& own_id) {
  std::vector<std::string> marks;
  if (facts) marks.push_back(facts->id);
  if (!facts && is_this_machine(host.name, literal_address_of)) marks.push_back(own_id);
  const int at = given == nullptr ? -1 : host_in(*given, host.name, facts ? facts->host_name : "");
  if (at < 0) return marks;
  const topo::Host& described = given->hosts[static_cast<std::size_t>(at)];
  // "n1" of the file may be n1.a or n1.b: no proof that these are one.
  const bool certain = described.name == host.name || host.name.find('.') == std::string::npos ||
                       (facts && described.name == facts->host_name);
  if (certain && is_described(described)) marks.push_back("given " + std::to_string(at));
  return marks;
}

/// Hosts that turn out to be one become one, under the name that came first.
Status join_names(std::vector<JobHost>& hosts, Facts& facts, const topo::Topology* given,
                  const Files& files) {
  std::unordered_map<std::string, std::size_t> by_mark;
  std::vector<JobHost> kept_hosts;
  Facts kept_facts;
  const std::string own_id = own_host_id(files);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto marks = marks_of(hosts[i], facts[i], given, own_id);
    std::size_t number = kept_hosts.size();
    for (const std::string& mark : marks) {
      if (const auto known = by_mark.find(mark); known != by_mark.end()) number = known->second;
    }
    for (const std::string& mark : marks) by_mark.emplace(mark, number);
    if (number == kept_hosts.size()) {
      kept_hosts.push_back(std::move(hosts[i]));
      kept_facts.push_back(std::move(facts[i]));
    } else if (Status ok = add_repeat(kept_hosts[number], hosts[i]); !ok) {
      return ok;
    }
  }
  hosts = std::move(kept_hosts);
  facts = std::move(kept_facts);
  return {};
}

/// Hosts that can't reach each other have no job in common.
Status check_networks(const std::vector<JobHost>& hosts, const Facts& facts) {
  const auto reach = [](const HostFacts& a, const HostFacts& b) {
    const auto somewhere = [](const HostFacts& f) { return f.default_route && !f.networks.empty(); };
    return share_network(a.networks, b.networks) || (somewhere(a) && somewhere(b));
  };
  const auto words = [](const HostFacts& f) {
    std::string text;
    for (const std::string& network : f.networks) text += (text.empty() ? "" : ", ") + network;
    return text.empty() ? "none" : text;
  };
  std::size_t first = hosts.size();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!facts[i]) continue;
    if (first == hosts.size()) {
      first = i;
      continue;
    }
    if (reach(*facts[first], *facts[i])) continue;
    return fail(Code::unavailable,
                "hosts " + hosts[first].name + " and " + hosts[i].name +
                    " have no network in common: " + words(*facts[first]) + " there, " +
                    words(*facts[i]) + " here",
                "bring up a network that all hosts are on (--refresh looks again), or leave one out");
  }
  return {};
}

}  // namespace

std::vector<int> HostMachine::slots() const {
  std::vector<int> out;
  for (const JobHost& host : hosts) out.push_back(host.slots);
  return out;
}

Result<std::vector<JobHost>> hosts_named(const TopologyOptions& options, const Outside& outside) {
  if (options.hosts.empty()) return std::vector<JobHost>{};
  return parse_job_hosts(options.hosts, outside.files);
}

Result<std::optional<JobHost>> this_host_alone(const std::vector<JobHost>& hosts) {
  const auto is_this = [](const JobHost& host) { return is_this_machine(host.name); };
  if (hosts.empty() || !std::ranges::all_of(hosts, is_this)) return std::nullopt;
  JobHost all = hosts.front();
  for (std::size_t i = 1; i < hosts.size(); ++i) {
    if (Status ok = add_repeat(all, hosts[i]); !ok) return fail(std::move(ok).error());
  }
  return std::optional(std::move(all));
}

Result<HostMachine> look_at_hosts(std::vector<JobHost> hosts, const TopologyOptions& options,
                                  const std::vector<std::string>& excluded,
                                  const Outside& outside) {
  std::optional<topo::Topology> given;
  if (!options.topologies.empty()) {
    TopologyOptions files = options;
    files.link_rate.clear();  // said once, of all hosts, at the end
    auto looked = look_at(files, outside);
    if (!looked) return fail(std::move(looked).error());
    given = std::move(*looked);
  }
  Facts facts(hosts.size());
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (std::ranges::find(excluded, hosts[i].name) != excluded.end()) continue;
    const int at = given ? host_in(*given, hosts[i].name, "") : -1;
    if (at >= 0 && is_described(given->hosts[static_cast<std::size_t>(at)])) continue;
    wanted.push_back(i);
  }
  if (Status ok = find_out(hosts, wanted, options, outside, facts); !ok) {
    return fail(std::move(ok).error());
  }
  const topo::Topology* const described = given ? &*given : nullptr;
  if (Status ok = join_names(hosts, facts, described, outside.files); !ok) {
    return fail(std::move(ok).error());
  }
  if (Status ok = check_networks(hosts, facts); !ok) return fail(std::move(ok).error());
  HostMachine machine;
  machine.topology = hosts_topology(hosts, facts, described, given_name(options));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (facts[i]) machine.ids[hosts[i].name] = facts[i]->id;
  }
  machine.hosts = std::move(hosts);
  if (!options.link_rate.empty()) {
    if (Status ok = topo::apply_link_rates(options.link_rate, machine.topology); !ok) {
      return fail(std::move(ok).error().within("--link-rate"));
    }
  }
  return machine;
}

}  // namespace topolaunch::launcher
