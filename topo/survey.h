// SPDX-License-Identifier: Apache-2.0
//
// discover(): asks every source, keeps what it said and, where one could not look, why.
#pragma once

#include <memory>
#include <vector>

#include "topo/source.h"

namespace topolaunch::topo {

struct Survey {
  std::vector<Fact> facts;
  std::vector<SurveyEntry> entries;
  bool live = false;
};

using Sources = std::vector<std::unique_ptr<Source>>;

/// A source that can't look becomes an `unavailable` entry; a broken input file ends discovery.
Result<Survey> discover(const Sources& sources, const Outside& outside);

/// The sources of this machine: hwloc, NVML, NICs. `host` names it.
Sources live_sources(const std::string& host);

/// One `--topology` argument: a file, recognised from its content (FILE#NAME: one of several in it), a
/// "synthetic:" / "tree:" SPEC, or a program to ask (live_command.h: "slurm:", "ec2:", ...).
/// `distance` is the --distance list for "tree:" specs, innermost level first; may be empty.
/// `host` names the machine of a file that describes one machine without its name (NCCL and hwloc
/// XML); empty leaves it open: it then stands for every host that a switch file names, else "host0".
Result<Sources> given_sources(const std::vector<std::string>& topologies,
                              const std::vector<double>& distance, const Outside& outside,
                              const std::string& host = {});

}  // namespace topolaunch::topo
