// SPDX-License-Identifier: Apache-2.0
//
// Who takes part, checked before anything is timed: as many ranks as were asked for, each on a
// device of its own. A job started the wrong way becomes N worlds of one rank, each of which
// measures nothing, finds nothing wrong and exits with 0; two ranks on one GPU measure half of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "bench/measurement.h"

namespace topolaunch::bench {

/// One rank as seen from inside, made on each rank and gathered.
struct Participant {
  Device device;
  std::string host_key;  ///< host name and boot id: tells hosts of one name apart
  std::map<std::string, int> coordinates;  ///< in the job, as the launcher gave them
};
std::string to_wire(const Participant& participant);
Result<Participant> participant_from_wire(const std::string& text);

/// How many ranks there have to be.
struct Expectation {
  int ranks = 0;
  std::string said_by;  ///< "--expect-ranks", "WORLD_SIZE"
};
/// `asked` (--expect-ranks), else what the launcher around this process says: WORLD_SIZE with RANK,
/// OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_NTASKS with SLURM_PROCID. Nothing if nobody says.
std::optional<Expectation> expected_ranks(std::optional<int> asked, const Environment& environment);

/// validation_failed if the count is not as expected or two ranks share a GPU; the message names
/// the ranks, the host and the device.
Status check_census(const std::vector<Participant>& participants,
                    const std::optional<Expectation>& expected);

/// Number of different hosts; local ranks are written into the participants.
int count_hosts(std::vector<Participant>& participants);

/// What doesn't spoil the figures but explains them: ranks of a host that share CPUs.
std::vector<std::string> census_notes(const std::vector<Participant>& participants);

}  // namespace topolaunch::bench
