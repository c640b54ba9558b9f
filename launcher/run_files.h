// SPDX-License-Identifier: Apache-2.0
//
// RunFiles: the files of one run, written as it goes. Where nothing can be written the run goes on
// and the closing line says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/outside.h"
#include "launcher/report/story.h"
#include "launcher/run_directory.h"

namespace topolaunch::launcher {

class RunFiles {
 public:
  /// Makes the run's folder and tells the story where it is, or why there is none.
  static RunFiles open(Story& story, const Outside& outside);

  void planned(const Story& story) const;  ///< plan.json, topology.json
  void event(const std::string& name, const Json& details) const;
  void store(const std::string& name, std::string_view text) const;  ///< one more file
  void refused(const Story& story, const Error& error) const;  ///< verdict so far, the reason
  /// observation.json, verdict.json, manifest.json and the summary.
  void ended(Story& story) const;

 private:
  RunFiles(std::optional<RunDirectory> directory, const Outside& outside)
      : directory_(std::move(directory)), outside_(outside) {}
  std::optional<RunDirectory> directory_;
  const Outside& outside_;
};

}  // namespace topolaunch::launcher
