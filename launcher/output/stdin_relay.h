// SPDX-License-Identifier: Apache-2.0
//
// StdinRelay: our stdin, copied into a pipe for rank 0. Only for a terminal under an engine that
// puts ranks into process groups of their own (mpirun): a background group may not read a terminal.
// Everywhere else rank 0 has our stdin itself, so that nothing is read that it does not read.
#pragma once

#include <string>

#include "launcher/supervise/descriptor.h"
#include "launcher/supervise/poll_set.h"

namespace topolaunch::launcher {

class StdinRelay {
 public:
  /// Begins; returns the end to read from, for the rank. None if no pipe could be made.
  Descriptor begin(int from);
  void watch(PollSet& set);

 private:
  void move();
  int from_ = -1;
  Descriptor to_;
  std::string waiting_;
};

}  // namespace topolaunch::launcher
