// SPDX-License-Identifier: Apache-2.0
//
// manifest.json ("topolaunch.manifest/1"): who ran what, when, where, placed how, under which quota,
// with what result. Names of environment variables, never values: they may hold secrets.
#pragma once

#include <string>

#include "base/json.h"
#include "base/outside.h"
#include "launcher/report/story.h"

namespace topolaunch::launcher {

Json manifest_json(const Story& story, const Outside& outside);

/// SHA-256 of a program, in hexadecimal; empty where it can't be read or is larger than 64 MiB: such
/// are known by path alone, hashing them would take longer than starting them.
std::string program_sha256(const std::string& path, const Files& files);

/// SHA-256 over what decides where ranks run: rank, host, GPU, CPUs; the same for equal placements.
std::string placement_hash(const Plan& plan);

/// Commit of the git work tree that `folder` lies in, from its files; empty if none.
std::string git_commit(const std::string& folder, const Files& files);

}  // namespace topolaunch::launcher
