// SPDX-License-Identifier: Apache-2.0
//
// What placements have measured on this machine: so that `--validate auto` need not measure a
// placement again that passed since the machine's boot, and a later run has something to be held
// against. One small file per placement in <state>/passed/.
#pragma once

#include <optional>
#include <string>

#include "base/outside.h"
#include "bench/measurement.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {

struct PassedBefore {
  std::string boot_id, backend;
  Reference reference;
};

std::string boot_id(const Files& files);
std::optional<PassedBefore> passed_before(const std::string& placement_hash,
                                          const Outside& outside);
/// Nothing is said if it can't be kept: the next run measures again.
void remember_pass(const std::string& placement_hash, const std::string& run_id,
                   const bench::Measurement& measurement, const Outside& outside);

}  // namespace topolaunch::launcher
