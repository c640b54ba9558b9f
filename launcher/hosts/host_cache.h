// SPDX-License-Identifier: Apache-2.0
//
// What hosts have said of themselves, kept in the state folder: hosts/NAME.json. A start with all
// hosts in it asks nobody. Whether it still holds, its keeper tells when it joins a job: a host of
// another id (another machine, another boot) is forgotten then, and asked again.
#pragma once

#include <optional>
#include <string>

#include "base/outside.h"
#include "launcher/hosts/host_facts.h"

namespace topolaunch::launcher {

/// Nothing where there is no entry, or one of another version of topolaunch.
std::optional<HostFacts> remembered_host(const std::string& name, const Outside& outside);
/// Silently nothing where no file can be written: it is asked again then.
void remember_host(const std::string& name, const HostFacts& facts, const Outside& outside);

}  // namespace topolaunch::launcher
