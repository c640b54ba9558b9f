// SPDX-License-Identifier: Apache-2.0
//
// SavedRun: what a run has left in its folder, read back as values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/outside.h"
#include "bench/measurement.h"
#include "launcher/plan.h"
#include "launcher/verdict.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct SavedRun {
  std::string folder;
  Plan plan;
  std::optional<topo::Topology> topology;
  std::optional<Verdict> verdict;
  std::optional<bench::Measurement> measurement;
  /// The files as they are, null where the run left none.
  std::shared_ptr<const Json> summary, manifest, observation, raw_measurement;
  std::vector<std::string> closing;  ///< what the run said at its end, from events.jsonl
};

/// By folder, id, beginning of an id, or "last". invalid_input, with file and line, for a part that
/// is there and can't be read.
Result<SavedRun> load_run(const std::string& name, const Outside& outside);

Result<Json> read_json(const std::string& file, const Outside& outside);
/// Nothing if the file isn't there; an error if it is and can't be read.
Result<std::optional<Json>> read_if_there(const std::string& file, const Outside& outside);
Result<Plan> read_plan(const std::string& file, const Outside& outside);

/// plan.json of a run, or the file itself where `name` ends in ".json"; its folder is what is
/// before the last '/'.
Result<std::string> plan_file(const std::string& name, const Outside& outside);
std::string folder_of(const std::string& file);

}  // namespace topolaunch::launcher
