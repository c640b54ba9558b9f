// SPDX-License-Identifier: Apache-2.0
//
// The outside world as one value of references, made in main and passed down. Nothing else in the
// project reads files, variables or the clock, or runs programs, on its own.
#pragma once

#include "base/clock.h"
#include "base/commands.h"
#include "base/environment.h"
#include "base/files.h"

namespace topolaunch {

struct Outside {
  const Files& files;
  const Commands& commands;
  const Clock& clock;
  const Environment& environment;
};

}  // namespace topolaunch
