// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/mpi_host.h"

#include <algorithm>
#include <array>

#include "bench/subject/mpi_subject.h"

namespace topolaunch::bench {

std::unique_ptr<Subject> make_mpi_subject(MpiWay way, DevicePort& host, MPI_Comm comm) {
  switch (way) {
    case MpiWay::ring: return make_mpi_ring(host, comm);
    case MpiWay::reference: return make_mpi_reference(host, comm);
    case MpiWay::library: break;
  }
  return make_mpi_library(host, comm);
}

std::string mpi_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  // "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, ..." and similar from MPICH
  version.erase(std::min(version.find_first_of(",\n"), version.size()));
  if (const auto v = version.find(" v"); v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

}  // namespace topolaunch::bench
