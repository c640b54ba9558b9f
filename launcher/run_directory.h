// SPDX-License-Identifier: Apache-2.0
//
// Where a run's files go: $TOPOLAUNCH_STATE_DIR/runs/<id>/, else below $XDG_STATE_HOME or
// ~/.local/state. Files appear whole or not at all. A run on a machine where nothing can be written
// goes on without them and says so: the files are a record, not a condition (the ledger has its
// own place and its own rule).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/outside.h"
#include "launcher/state_directory.h"

namespace topolaunch::launcher {

class RunDirectory {
 public:
  /// Makes <state>/runs/<id> with mode 0700.
  static Result<RunDirectory> create(const Environment& environment, const std::string& id);

  const std::string& path() const { return path_; }
  Status store(const std::string& name, std::string_view content) const;
  /// One line to events.jsonl: {"time": ..., "event": ..., ...details}.
  Status event(double unix_time, const std::string& name, const Json& details) const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// The folder of a saved run: a folder itself, a run id, the beginning of one, or "last".
/// invalid_input names what was looked for, and how many begin like that.
Result<std::string> find_run(const std::string& name, const Outside& outside);
/// Ids of all saved runs, oldest first.
Result<std::vector<std::string>> saved_runs(const Outside& outside);

/// `path` with the home folder written as "~".
std::string short_path(const std::string& path, const Environment& environment);

}  // namespace topolaunch::launcher
