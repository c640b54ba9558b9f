// SPDX-License-Identifier: Apache-2.0
//
// HostLinks: topolaunch's ends of the connections to the other hosts of a job, one a host. It
// listens, lets in who proves that he knows the secret and is a host of the plan, and hands out
// what the hosts' keepers say. Everybody else gets a few seconds and a few kilobytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launcher/supervise/channel.h"
#include "launcher/supervise/network.h"
#include "launcher/supervise/poll_set.h"

namespace topolaunch::launcher {

/// What the keeper of a host says when it joins.
struct HostGreeting {
  std::string address;  ///< where ranks there can be met; empty = its own on this connection
  int free_port = 0;
  std::string id;       ///< own_host_id()
  std::string version;  ///< of its topolaunch
};

/// One other host of the job.
struct HostLink {
  enum class Stage {
    expected,  ///< its keeper has not connected yet
    arrived,   ///< its keeper has proved itself
    empty,     ///< nothing of the job is left there
    lost       ///< the connection ended before that
  };
  std::string name;
  Stage stage = Stage::expected;
  Channel channel;
  HostGreeting said;        ///< what its keeper has said of it
  std::string our_address;  ///< ours, at which it has reached us
  pid_t agent_pid = 0;      ///< the process here that started its keeper (ssh), once known
  Descriptor agent;
  int untaken = 0;          ///< bytes of output that its keeper doesn't know to be taken
  bool has_orders = false;
  std::string agent_end;    ///< how that ended, in words; empty = it runs, or nobody knows

  bool linked() const { return stage == Stage::arrived; }
};

struct HostNews {
  enum class What { arrived, said, lost } what = What::lost;
  std::size_t host = 0;
  std::shared_ptr<Json> message;  ///< of `said`
  std::string why;  ///< of `lost`, in words
};

class HostLinks {
 public:
  /// `secret`: in hexadecimal. Names must differ.
  static Result<HostLinks> open(const std::vector<std::string>& hosts, std::string secret);

  std::vector<HostLink>& hosts() { return hosts_; }
  const std::vector<HostLink>& hosts() const { return hosts_; }
  HostLink* find(const std::string& name);
  int port() const { return listener_.port; }
  const std::vector<std::string>& addresses() const { return addresses_; }

  void watch(PollSet& set);
  /// What has come in since.
  std::vector<HostNews> take_news();
  /// Lets go of strangers that have had their time; once all hosts are here, of the port.
  void let_strangers_go(double now);
  std::size_t strangers() const { return strangers_.size(); }

 private:
  struct Stranger {
    Channel channel;
    std::string challenge;
    double since = 0;  ///< 0 = not stamped yet
  };
  void accept();
  void hear(Stranger& stranger);
  void hear(std::size_t host);

  Listener listener_;
  std::vector<std::string> addresses_;
  std::string secret_;
  std::vector<HostLink> hosts_;
  std::vector<std::unique_ptr<Stranger>> strangers_;
  std::vector<HostNews> news_;
};

/// The keeper's side: a channel to the first of `addresses` at which topolaunch itself answers, with
/// the proof that it does. unavailable: which were tried, and why each failed.
Result<Channel> greet_launcher(const std::vector<std::string>& addresses, int port,
                               const std::string& host, const std::string& secret,
                               const HostGreeting& self);

}  // namespace topolaunch::launcher
