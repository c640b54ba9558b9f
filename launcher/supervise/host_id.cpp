// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/host_id.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/own_host.h"

namespace topolaunch::launcher {
namespace {

std::string line_of(const Files& files, const char* path) {
  const auto text = files.read(path, 4096);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace

std::string own_host_id(const Files& files) {
  const std::string machine = line_of(files, "/etc/machine-id");
  const std::string boot = line_of(files, "/proc/sys/kernel/random/boot_id");
  // No path: the port for files can't follow it.
  std::array<char, 64> network{};
  const ssize_t n = ::readlink("/proc/self/ns/net", network.data(), network.size());
  return (machine.empty() && boot.empty() ? own_host_name() : machine) + "/" + boot + "/" +
         std::string(network.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
}

std::string host_change(const std::string& before, const std::string& now) {
  const auto until = [](const std::string& id, std::size_t slash) {
    return id.substr(0, std::min(slash, id.size()));
  };
  const auto machine = [&](const std::string& id) { return until(id, id.find('/')); };
  const auto boot = [&](const std::string& id) { return until(id, id.rfind('/')); };
  if (machine(before) != machine(now)) return "is another machine";
  return boot(before) != boot(now) ? "has booted" : "is another container, or has another network";
}

}  // namespace topolaunch::launcher
