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
#include "launcher/plan.h"
#include "launcher/validate.h"

namespace topolaunch::launcher {

struct PassedBefore {
  std::string boot_id, backend;
  Reference reference;
};

/// What a pass is remembered under: the placement, and over hosts what each of them was then, as one
/// that has booted since is measured again.
std::string pass_key(const Plan& plan);

std::string boot_id(const Files& files);
std::optional<PassedBefore> passed_before(const std::string& key, const Outside& outside);
/// Nothing is said if it can't be kept: the next run measures again.
void remember_pass(const std::string& key, const std::string& run_id,
                   const bench::Measurement& measurement, const Outside& outside);

}  // namespace topolaunch::launcher
