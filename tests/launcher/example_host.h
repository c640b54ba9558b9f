// SPDX-License-Identifier: Apache-2.0
//
// Hosts and an outside world for tests of the path.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/outside.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

/// Two sockets with 4 CPUs each and `gpus` GPUs, the first half on node 0. GPU i: 0000:(16+i):00.0,
/// GPU-0000000i-..., "H100".
inline topo::Host example_host(int gpus) {
  topo::Host host;
  host.name = "box";
  for (int node = 0; node < 2; ++node) {
    topo::NumaNode numa;
    numa.id = node;
    numa.package = node;
    numa.cpus.add_range(4 * node, 4 * node + 3);
    host.cpus = host.cpus | numa.cpus;
    host.numa.push_back(numa);
  }
  host.allowed_cpus = host.cpus;
  for (int core = 0; core < 4; ++core) host.smt.push_back({2 * core, 2 * core + 1});
  for (int i = 0; i < gpus; ++i) {
    topo::Gpu gpu;
    gpu.index = i;
    gpu.uuid = "GPU-0000000" + std::to_string(i) + "-aaaa";
    gpu.pci = topo::PciAddress{0, static_cast<std::uint8_t>(16 + i), 0, 0};
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.compute_capability = 90;
    gpu.numa = 2 * i < gpus ? 0 : 1;
    host.gpus.push_back(gpu);
  }
  return host;
}

class FixedClock final : public Clock {
 public:
  std::int64_t unix_seconds() const override { return 1'800'000'000; }
  double unix_time() const override { return 1'800'000'000.5; }
  double boot_seconds() const override { return 1000; }
};

/// Nothing can be run in this world.
class NoCommands final : public Commands {
 public:
  Result<CommandOutput> run(const std::vector<std::string>& argv, Seconds) const override {
    return fail(Code::not_found, "command '" + argv.front() + "' was not found");
  }
};

/// A world with an empty folder of its own, which goes when the world does.
class TemporaryWorld {
 public:
  TemporaryWorld() {
    std::string pattern = std::filesystem::temp_directory_path() / "topolaunch-test-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    environment.set("TOPOLAUNCH_STATE_DIR", folder_ + "/state");
    environment.set("XDG_CONFIG_HOME", folder_ + "/config");
    environment.set("XDG_RUNTIME_DIR", folder_);
    environment.set("HOME", folder_);
  }
  TemporaryWorld(const TemporaryWorld&) = delete;
  TemporaryWorld& operator=(const TemporaryWorld&) = delete;
  ~TemporaryWorld() { std::filesystem::remove_all(folder_); }

  const std::string& folder() const { return folder_; }
  /// Writes a file below the folder and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const Status written = write_file(path, content);
    static_cast<void>(written);
    return path;
  }

  Environment environment;
  const RootedFiles files{"/"};
  const NoCommands commands{};
  const FixedClock clock{};
  Outside outside() const { return {files, commands, clock, environment}; }

 private:
  std::string folder_;
};

}  // namespace topolaunch::launcher
