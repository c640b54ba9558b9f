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

#include <memory>

#include "bench/subject.h"

namespace topolaunch::bench {

enum class MpiWay { library, ring, reference };

/// Over the ranks of `comm`, which has to live as long as the subject, as has `host`.
std::unique_ptr<Subject> make_mpi_subject(MpiWay way, DevicePort& host, MPI_Comm comm);

/// "Open MPI 4.1.4": the first words of MPI_Get_library_version.
std::string mpi_library_version();

}  // namespace topolaunch::bench
