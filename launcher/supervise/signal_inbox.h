// SPDX-License-Identifier: Apache-2.0
//
// SignalInbox: the signals that topolaunch gets while a job runs, as messages. What topolaunch was
// started with ignored (nohup, a shell's background job) stays ignored, here and in the job.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

class SignalInbox {
 public:
  SignalInbox();
  ~SignalInbox();  ///< puts mask and SIGPIPE's disposition back
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  /// From now on a write to a closed pipe is an error, not the end. After the keeper was started,
  /// so that the job doesn't inherit it.
  void ignore_sigpipe();

  struct Message {
    int number = 0;
    bool from_terminal = false;  ///< the kernel sent it (Ctrl-C): the foreground group has it too
  };
  int fd() const { return fd_.get(); }
  std::vector<Message> take();
  const std::vector<int>& ignored() const { return ignored_; }

 private:
  Descriptor fd_;
  sigset_t before_{};
  struct sigaction sigpipe_before_ {};
  bool changed_sigpipe_ = false;
  std::vector<int> ignored_;
};

/// "SIGTERM"; "signal 64" for one without a name.
std::string signal_name(int number);

}  // namespace topolaunch::launcher
