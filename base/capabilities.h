// SPDX-License-Identifier: Apache-2.0
//
// What this build is and contains, filled in by CMake from what it found. Says nothing about the
// machine it runs on: that is discovery's and `topolaunch doctor`'s business.
#pragma once

#include <span>
#include <string_view>

namespace topolaunch {

/// One optional part of the build.
struct Capability {
  std::string_view name;  ///< "mpi", "cuda", "nccl", "topobench", ...
  bool present = false;
  std::string_view detail;  ///< a version, or why it's not there; may be empty
};

std::string_view build_version();   ///< "0.1.0"
std::string_view build_compiler();  ///< "GNU 12.2.0"
std::span<const Capability> capabilities();

}  // namespace topolaunch
