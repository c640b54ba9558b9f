// SPDX-License-Identifier: Apache-2.0
//
// HostFacts: what one host says of itself: who it is, its network addresses, its own topology. Each
// host of a job is asked once (`topolaunch __facts`) and remembered until it boots again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/outside.h"
#include "topo/topology.h"

namespace topolaunch::launcher {

struct HostFacts {
  std::string host_name;          ///< gethostname(2)
  std::string id;                 ///< own_host_id(): the same for all its names, until it boots
  std::vector<std::string> networks;  ///< "10.77.1.1/16", of interfaces that are up; no loopback
  bool default_route = false;         ///< reaches more than its own networks
  std::string version;                ///< of the topolaunch that answered
  topo::Topology topology;            ///< one host
};

/// Of this machine, looked at live.
Result<HostFacts> own_facts(const Outside& outside);

/// "topolaunch.host/1"
Json to_json(const HostFacts& facts);
Result<HostFacts> host_facts_from_json(const Json& json, const std::string& file);

/// The answer as it travels: a line with its length before it, so that what a login shell prints is
/// told apart from it, and half an answer from a whole one.
std::string framed(const HostFacts& facts);
/// invalid_input: no answer, or half of one, in `text`.
Result<HostFacts> facts_from_frame(std::string_view text, const std::string& host);

/// First word of the command line by which a host is asked, in place of a verb.
inline constexpr std::string_view kFactsWord = "__facts";
int facts_main(const Outside& outside);

}  // namespace topolaunch::launcher
