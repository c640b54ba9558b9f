// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_entry.h"

#include <unistd.h>

#include "launcher/state_directory.h"

namespace topolaunch::launcher {

std::optional<std::string> host_entry(const std::string& name, const Environment& environment) {
  const auto state = state_directory(environment);
  const bool plain = name.find('/') == std::string::npos && !name.empty() && name.size() < 200;
  if (!state || !plain) return std::nullopt;
  return *state + "/hosts/" + name + ".json";
}

void forget_host(const std::string& name, const Environment& environment) {
  if (const auto file = host_entry(name, environment)) ::unlink(file->c_str());
}

}  // namespace topolaunch::launcher
