// SPDX-License-Identifier: Apache-2.0
//
// Collectives over MPI on host memory, in three ways that share one class: the library's own calls,
// an allreduce of ours round a ring over its point-to-point calls (what MPI does on the links, with
// nothing chosen for us), and a reference that gathers all inputs and works the result out.
//
// On a host where ranks share cores, MPI's busy waiting steals the peer's time: the launcher's
// mpirun engine sets OMPI_MCA_mpi_yield_when_idle=1 there. topobench changes nothing of it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/subject.h"

namespace topolaunch::bench {

enum class MpiWay { library, ring, reference };

/// As --subject calls them: "mpi", "ring", "reference".
std::optional<MpiWay> mpi_way_named(std::string_view name);
const char* name_of(MpiWay way);

bool does(MpiWay way, Collective collective);
/// wrong_usage for a collective that it doesn't do, naming those that it does, and for more
/// elements (Layout::count) than it can over so many ranks.
Status can_do(MpiWay way, Collective collective, std::uint64_t count, int ranks);

/// Over the ranks of `comm`, which has to live as long as the subject, as has `host`.
std::unique_ptr<Subject> make_mpi_subject(MpiWay way, DevicePort& host, MPI_Comm comm);

/// "Open MPI 4.1.4": the first words of MPI_Get_library_version.
std::string mpi_library_version();

}  // namespace topolaunch::bench
