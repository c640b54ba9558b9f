// SPDX-License-Identifier: Apache-2.0
//
// What EC2 says of instances, as the `aws` command prints it:
//
//   aws ec2 describe-instance-topology    {"Instances": [{"InstanceId", "InstanceType",
//       "NetworkNodes": ["nn-top", "nn-middle", "nn-leaf"], "CapacityBlockId"}], "NextToken"}
//   aws ec2 describe-instances            instance ids and their private DNS names, whole or cut to
//   a
//                                         list of {"InstanceId", "PrivateDnsName"}
//
// NetworkNodes go from the top to the leaf; three or four of them, or null where the place is not
// known. A CapacityBlockId marks an UltraServer, which is an NVLink domain.
#pragma once

#include "topo/json_format.h"

namespace topolaunch::topo {

bool is_ec2(const Json& json);

/// Facts with origin "ec2 FILE:LINE". A page that says that more follow carries the warning
/// `ec2-more-pages`; an answer without instances has no facts.
Result<std::vector<Fact>> facts_from_ec2(const Json& json, const GivenText& given);

/// Where the last page is among the sources the pages before it are whole: takes their warning
/// away.
void join_ec2_pages(std::vector<std::vector<Fact>*> sources);

}  // namespace topolaunch::topo
