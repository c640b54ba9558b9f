// SPDX-License-Identifier: Apache-2.0
//
// The files that SageMaker gives its hosts:
//
//   /opt/ml/input/config/resourceconfig.json   of a training job: hosts, instance groups, and for
//                                              UltraServers topology[] {hostName, capacityUnitId}
//   /opt/ml/config/resource_config.json        of a HyperPod cluster: groups of instances with
//   their
//                                              ids and addresses
//
// Hosts are put in the order of their numbers (algo-2 before algo-10); lists in these files are in
// any order. They say which hosts there are, not where they hang: places come from EC2 by instance
// id.
#pragma once

#include "topo/json_format.h"

namespace topolaunch::topo {

bool is_resource_config(const Json& json);
bool is_hyperpod_config(const Json& json);

/// Facts with origin "sagemaker FILE:LINE".
Result<std::vector<Fact>> facts_from_resource_config(const Json& json, const GivenText& given);
Result<std::vector<Fact>> facts_from_hyperpod_config(const Json& json, const GivenText& given);

}  // namespace topolaunch::topo
