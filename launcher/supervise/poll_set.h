// SPDX-License-Identifier: Apache-2.0
//
// What one turn of the supervision loop waits for: descriptors with what to do when they are ready.
// Built anew each turn, so nothing has to be unregistered.
#pragma once

#include <poll.h>

#include <functional>
#include <utility>
#include <vector>

namespace topolaunch::launcher {

class PollSet {
 public:
  void add(int fd, short events, std::function<void(short)> ready) {
    if (fd < 0) return;
    fds_.push_back({fd, events, 0});
    ready_.push_back(std::move(ready));
  }
  /// Waits at most `milliseconds` (-1 = for ever) and calls what is ready, in the order added.
  void wait(int milliseconds) {
    if (::poll(fds_.data(), static_cast<nfds_t>(fds_.size()), milliseconds) <= 0) return;
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      if (fds_[i].revents != 0) ready_[i](fds_[i].revents);
    }
  }

 private:
  std::vector<pollfd> fds_;
  std::vector<std::function<void(short)>> ready_;
};

}  // namespace topolaunch::launcher
