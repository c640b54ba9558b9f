// SPDX-License-Identifier: Apache-2.0
//
// Which machine this is: the same text for every name of a host, another one for every other host,
// and for the same one after it has booted.
#pragma once

#include <string>

#include "base/files.h"

namespace topolaunch::launcher {

/// Machine id, boot id and network namespace: clones of an image may share the first, containers of
/// a machine the first two. The host's name where the system says neither id.
std::string own_host_id(const Files& files);

/// What has happened to a host that was `before` and is `now`: "has booted", ...
std::string host_change(const std::string& before, const std::string& now);

}  // namespace topolaunch::launcher
