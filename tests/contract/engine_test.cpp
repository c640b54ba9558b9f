// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/engine_contract.h"

namespace topolaunch::launcher::testing {

INSTANTIATE_TEST_SUITE_P(Engines, EngineContract, ::testing::Values("local", "mpirun"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace topolaunch::launcher::testing
