// SPDX-License-Identifier: Apache-2.0
//
// EndsWithUs: a process group that goes when a signal ends us. While one lives, SIGINT, SIGTERM and
// SIGHUP, where they would have ended us at once, first end the groups; then they end us as before.
// Without it Ctrl-C would leave an `ssh` behind that waits for a silent host.
#pragma once

#include <sys/types.h>

namespace topolaunch {

class EndsWithUs {
 public:
  explicit EndsWithUs(pid_t group);
  ~EndsWithUs();
  EndsWithUs(const EndsWithUs&) = delete;
  EndsWithUs& operator=(const EndsWithUs&) = delete;

 private:
  pid_t group_;
};

}  // namespace topolaunch
