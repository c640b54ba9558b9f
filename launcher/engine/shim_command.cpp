// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/shim_command.h"

#include <limits.h>
#include <unistd.h>

#include <array>

namespace topolaunch::launcher {

std::string own_executable() {
  std::array<char, PATH_MAX> path{};
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : "topolaunch";
}

std::vector<std::string> shim_command(const Plan& plan, int rank) {
  std::vector<std::string> argv{own_executable(), "__shim"};
  if (rank >= 0) {
    argv.emplace_back("--rank");
    argv.push_back(std::to_string(rank));
  }
  argv.emplace_back("--");
  argv.insert(argv.end(), plan.command.begin(), plan.command.end());
  return argv;
}

}  // namespace topolaunch::launcher
