// SPDX-License-Identifier: Apache-2.0
//
// Host memory that a GPU can copy to and from at full speed, where the driver gives it; plain
// memory elsewhere, which works too, more slowly. (Without a driver cudaMallocHost fails with 35.)
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace topolaunch::bench {

class PinnedMemory {
 public:
  static Result<PinnedMemory> allocate(std::size_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();
  void* data() const { return memory_; }
  bool pinned() const { return pinned_; }
  const std::string& why_not() const { return why_not_; }  ///< empty if pinned

 private:
  PinnedMemory(void* memory, bool pinned, std::string why_not);
  void* memory_ = nullptr;
  bool pinned_ = false;
  std::string why_not_;
};

}  // namespace topolaunch::bench
