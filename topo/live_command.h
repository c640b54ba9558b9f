// SPDX-License-Identifier: Apache-2.0
//
// Fabrics asked for live, by the program that knows them. What it prints is read as a file with
// that content would be:
//
//   --topology slurm:             scontrol show topology
//   --topology ec2:[i-1,i-2]      aws ec2 describe-instance-topology, and the instances' host names
//   --topology kubernetes:[LABEL=VALUE]   kubectl get nodes -o json
//   --topology ibnetdiscover:     ibnetdiscover
#pragma once

#include <memory>
#include <string>

#include "topo/source.h"

namespace topolaunch::topo {

/// The source of such an argument; nullptr if it is none. A program that isn't there, or that
/// fails, makes look() `unavailable` with its words.
std::unique_ptr<Source> live_command(const std::string& argument);

}  // namespace topolaunch::topo
