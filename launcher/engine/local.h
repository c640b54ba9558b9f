// SPDX-License-Identifier: Apache-2.0
//
// Engine `local`: topolaunch's own, for one host. The keeper starts the ranks' shims itself.
#pragma once

#include "launcher/engine.h"

namespace topolaunch::launcher {

class LocalEngine final : public Engine {
 public:
  std::string name() const override { return "local"; }
  Result<std::vector<std::vector<std::string>>> commands(const Plan& plan,
                                                         const Outside& outside) const override;
  /// configuration: several ranks of a program that is linked with an MPI library.
  Result<std::unique_ptr<Run>> start(const Plan& plan, const Outside& outside) const override;
};

}  // namespace topolaunch::launcher
