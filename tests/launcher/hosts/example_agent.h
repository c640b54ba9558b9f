// SPDX-License-Identifier: Apache-2.0
//
// A remote-start agent that answers by host, and what the hosts of tests say of themselves.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/capabilities.h"
#include "launcher/hosts/host_facts.h"
#include "tests/launcher/example_host.h"

namespace topolaunch::launcher {

inline HostFacts example_facts(const std::string& name) {
  HostFacts facts;
  facts.host_name = name;
  facts.id = "m-" + name + "/b/net:[1]";
  facts.networks = {"10.0.0.1/8"};
  facts.version = build_version();
  facts.topology.hosts = {example_host(2)};
  return facts;
}

/// Its command lines are AGENT HOST COMMAND; it is asked from several threads at once.
class ExampleAgent final : public Commands {
 public:
  std::function<Result<CommandOutput>(const std::string& host)> answer =
      [](const std::string& host) { return CommandOutput{0, framed(example_facts(host)), ""}; };
  mutable std::vector<std::string> asked;

  Result<CommandOutput> run(const std::vector<std::string>& argv, Seconds) const override {
    const std::lock_guard guard(lock_);
    asked.push_back(argv.at(1));
    return answer(argv.at(1));
  }

 private:
  mutable std::mutex lock_;
};

}  // namespace topolaunch::launcher
