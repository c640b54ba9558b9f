// SPDX-License-Identifier: Apache-2.0
//
// JobRun: the other hosts on their way in: what their keepers are told, and whether those that join
// are what the plan was made for.
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/capabilities.h"
#include "launcher/hosts/host_entry.h"
#include "launcher/json_fields.h"
#include "launcher/supervise/handshake.h"
#include "launcher/supervise/host_id.h"
#include "launcher/supervise/host_keeper.h"
#include "launcher/supervise/job_run.h"

namespace topolaunch::launcher {
namespace {

/// Bytes of our stdin that may be on their way to a rank on another host.
constexpr std::size_t kInputWindow = std::size_t{256} << 10;
/// A connection and an agent a host, and as many again on their way in: of the 1024 descriptors that
/// a process may have by default, a few hundred hosts take all.
void allow_descriptors_for(std::size_t hosts) {
  rlimit limit{};
  const rlim_t needed = 4 * hosts + 256;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(limit.rlim_max, needed);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Status JobRun::open_hosts() {
  if (launch_.hosts.empty()) return {};
  auto secret = random_name(32);
  if (!secret) return fail(std::move(secret).error());
  launch_.control_secret = *secret;
  auto links = HostLinks::open(launch_.hosts, *secret);
  if (!links) return fail(std::move(links).error());
  links_.emplace(std::move(*links));
  allow_descriptors_for(launch_.hosts.size());
  released_ = false;
  input_credit_ = kInputWindow;
  return {};
}

/// The agent's wrapper asks what to start on `host`, and with what in its standard input.
void JobRun::hear_agent(Stranger& stranger, const std::string& name) {
  HostLink* const host = links_->find(name);
  if (host == nullptr || host->stage != HostLink::Stage::expected) return stranger.channel.close();
  host->agent_pid = stranger.pid;
  host->agent = open_pidfd(stranger.pid);
  HostHello hello;
  hello.run_id = plan_.id;
  hello.host = name;
  hello.secret = launch_.control_secret;
  hello.addresses = links_->addresses();
  hello.port = links_->port();
  if (ranks_.front().link == host) {
    hello.wanted_address = launch_.wanted_address;
    hello.wanted_port = launch_.wanted_port;
  }
  stranger.channel.send(Json{{"agent", words_to_json(launch_.agent)}, {"hello", to_json(hello)}});
  stranger.channel.close();
}

/// Whether a host that has joined is what the plan was made for. mpirun starts no rank before every
/// host has joined, so that nothing of the job has begun yet.
Status JobRun::recognise(const HostLink& host) const {
  if (host.said.version != build_version()) {
    return fail(Code::unavailable,
                "host " + host.name + " has topolaunch " +
                    (host.said.version.empty() ? "of another version" : host.said.version) +
                    ", and this is " + std::string(build_version()),
                "install one version on all hosts");
  }
  const auto known = plan_.host_ids.find(host.name);
  if (known == plan_.host_ids.end() || known->second == host.said.id) return {};
  forget_host(host.name, outside_.environment);
  return fail(Code::try_again,
              "host " + host.name + " " + host_change(known->second, host.said.id) +
                  " since topolaunch asked what it is",
              "start again: it is asked anew");
}

}  // namespace topolaunch::launcher
