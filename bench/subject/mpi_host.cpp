// SPDX-License-Identifier: Apache-2.0
#include "bench/subject/mpi_host.h"

#include <algorithm>
#include <array>

#include "bench/subject/mpi_subject.h"

namespace topolaunch::bench {

namespace {

/// What the reference holds of all ranks together, in elements: 1 GiB.
constexpr std::uint64_t kMostHeld = std::uint64_t{1} << 28;

std::string done_by(MpiWay way) {
  std::string names;
  for (const Collective collective : kCollectives) {
    if (does(way, collective))
      names += (names.empty() ? "" : ", ") + std::string(name_of(collective));
  }
  return names;
}

}  // namespace

std::optional<MpiWay> mpi_way_named(std::string_view name) {
  for (const MpiWay way : {MpiWay::library, MpiWay::ring, MpiWay::reference}) {
    if (name == name_of(way)) return way;
  }
  return std::nullopt;
}

const char* name_of(MpiWay way) {
  switch (way) {
    case MpiWay::ring:
      return "ring";
    case MpiWay::reference:
      return "reference";
    case MpiWay::library:
      break;
  }
  return "mpi";
}

bool does(MpiWay way, Collective collective) {
  switch (way) {
    case MpiWay::ring:
      return collective == Collective::allreduce;
    case MpiWay::reference:
      return collective != Collective::sendrecv;
    case MpiWay::library:
      break;
  }
  return true;
}

std::uint64_t given_elements(Collective collective, std::uint64_t count, int ranks) {
  const bool parts = has_parts(collective) && collective != Collective::allgather;
  return parts ? count * static_cast<std::uint64_t>(ranks) : count;
}

Status can_do(MpiWay way, Collective collective, std::uint64_t count, int ranks) {
  constexpr const char* kSmaller = "a smaller largest size (-e)";
  const auto all = static_cast<std::uint64_t>(ranks);
  if (!does(way, collective)) {
    return fail(Code::wrong_usage,
                std::string("--subject ") + name_of(way) + " does no " + name_of(collective),
                done_by(way) + ", or --subject mpi");
  }
  if (way == MpiWay::reference && given_elements(collective, count, ranks) > kMostHeld / all) {
    return fail(Code::wrong_usage, "too large for the reference, which holds all ranks' inputs",
                kSmaller);
  }
  const bool whole = way == MpiWay::library && !has_parts(collective);  // goes in pieces
  if (way == MpiWay::reference || whole) return {};
  if ((way == MpiWay::ring ? count / all + 1 : count) > kMostAtOnce) {
    return fail(Code::wrong_usage, "more elements in a rank's part than MPI counts", kSmaller);
  }
  return {};
}

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
