// SPDX-License-Identifier: Apache-2.0
#include "base/own_host.h"

#include <unistd.h>

#include <array>

namespace topolaunch {

std::string own_host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

}  // namespace topolaunch
