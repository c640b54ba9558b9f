// SPDX-License-Identifier: Apache-2.0
//
// What the calls of the replayed NVML have in common: the profile, handles, failures by profile.
#pragma once

#include <memory>

#include "tests/support/nvml_replay/profile.h"
#include "topo/source/nvml_abi.h"

#define NVML_EXPORT extern "C" __attribute__((visibility("default")))

namespace topolaunch::nvml_replay {

/// Of the library's state between nvmlInit_v2 and nvmlShutdown.
std::unique_ptr<Profile>& profile();

inline Device* device_of(topo::nvml_abi::Device handle) { return reinterpret_cast<Device*>(handle); }
inline topo::nvml_abi::Device handle_of(Device& device) {
  return reinterpret_cast<topo::nvml_abi::Device>(&device);
}

/// The way of every call on a device: not started, failing by profile, or what `answer` says.
template <class Answer>
topo::nvml_abi::Return with(const char* call, topo::nvml_abi::Device handle, Answer answer) {
  if (!profile()) return topo::nvml_abi::kUninitialized;
  if (handle == nullptr) return topo::nvml_abi::kInvalidArgument;
  Device& device = *device_of(handle);
  for (const char* name : {call, "*"}) {
    if (const auto found = device.failures.find(name); found != device.failures.end()) return found->second;
  }
  return answer(device);
}

template <class T>
topo::nvml_abi::Return store(T* out, T value) {
  if (out == nullptr) return topo::nvml_abi::kInvalidArgument;
  *out = value;
  return topo::nvml_abi::kSuccess;
}

}  // namespace topolaunch::nvml_replay
