// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/signal_inbox.h"

#include <string.h>
#include <sys/signalfd.h>

namespace topolaunch::launcher {

SignalInbox::SignalInbox() {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (int number = 1; number < 32; ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) {
      ignored_.push_back(number);
    }
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
                           SIGTSTP, SIGCONT, SIGWINCH}) {
    bool is_ignored = false;
    for (const int other : ignored_) is_ignored = is_ignored || other == number;
    if (!is_ignored) ::sigaddset(&wanted, number);
  }
  ::sigprocmask(SIG_BLOCK, &wanted, &before_);
  fd_.reset(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalInbox::~SignalInbox() {
  static_cast<void>(take());
  if (changed_sigpipe_) ::sigaction(SIGPIPE, &sigpipe_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void SignalInbox::ignore_sigpipe() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  changed_sigpipe_ = ::sigaction(SIGPIPE, &ignore, &sigpipe_before_) == 0;
}

std::vector<SignalInbox::Message> SignalInbox::take() {
  std::vector<Message> out;
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) {
    out.push_back({static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL});
  }
  return out;
}

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

}  // namespace topolaunch::launcher
