// SPDX-License-Identifier: Apache-2.0
//
// The control channel's two ends: topolaunch listens, shims connect. On one host it is a local
// socket without a name in the file system ("unix:@topolaunch-..."), which carries descriptors; a
// peer must be of the same user and say the one-time secret, which is in no argv.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "launcher/supervise/channel.h"

namespace topolaunch::launcher {

class ControlServer {
 public:
  static Result<ControlServer> open();
  int fd() const { return socket_.get(); }
  const std::string& address() const { return address_; }
  const std::string& secret() const { return secret_; }

  struct Peer {
    Channel channel;
    pid_t pid = 0;  ///< as the kernel says it, not the peer
  };
  /// The next connection, if one is waiting and it is of our own user.
  std::optional<Peer> accept();
  /// In constant time.
  bool is_secret(const std::string& said) const;

 private:
  Descriptor socket_;
  std::string address_, secret_;
};

/// Connects to what ControlServer::address() said.
Result<Channel> connect_control(const std::string& address);

}  // namespace topolaunch::launcher
