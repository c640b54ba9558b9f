// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine.h"

#include "launcher/engine/local.h"
#include "launcher/engine/mpirun.h"

namespace topolaunch::launcher {

Result<std::unique_ptr<Engine>> make_engine(const std::string& name) {
  if (name == "local") return std::unique_ptr<Engine>(std::make_unique<LocalEngine>());
  if (name == "mpirun") return std::unique_ptr<Engine>(std::make_unique<MpirunEngine>());
  return fail(Code::wrong_usage, "there is no engine '" + name + "'", "engines: local, mpirun");
}

bool is_inner_program(std::string_view word) {
  return word == "__shim" || word == "__host" || word == "__agent";
}

int inner_program_main(std::string_view word, const std::vector<std::string>& argv,
                       const Outside& outside) {
  if (word == "__host") return host_main(argv, outside);
  if (word == "__agent") return agent_main(argv, outside);
  return shim_main(argv, outside);
}

}  // namespace topolaunch::launcher
