// SPDX-License-Identifier: Apache-2.0
//
// A topology as a SimGrid platform file (version 4.1, read by SimGrid 3.13 and newer), to simulate
// a placement that can't be had. Every GPU is a SimGrid host ("n1.gpu0"), every machine with GPUs
// and every switch a router; a machine without GPUs is a SimGrid host itself. Links are full duplex
// with the rates known; latencies are not known, and none is written.
//
//   smpirun -np 16 -platform cluster.xml -hostfile hosts ./a.out
#pragma once

#include <string>

#include "base/result.h"
#include "topo/topology.h"

namespace topolaunch::topo {

/// unavailable, naming it, where a rate or a host's place is not known: a simulation with an
/// invented one would be believed.
Result<std::string> simgrid_platform(const Topology& topology);

}  // namespace topolaunch::topo
