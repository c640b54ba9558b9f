// SPDX-License-Identifier: Apache-2.0
//
// Does a program use MPI? Without an MPI launcher, N ranks of it would be N worlds of one rank
// each, and nobody would be told. Asked of the file before the start (a program linked with
// libmpi), and of the running processes a little later (a Python script that has imported mpi4py).
#pragma once

#include <sys/types.h>

#include <string>

#include "base/files.h"

namespace topolaunch::launcher {

/// The MPI library in an ELF program's list of needed libraries: "libmpi.so.40"; empty if there is
/// none, or the file is no ELF program.
std::string mpi_library_of(const std::string& executable, const Files& files);
/// The MPI library that process `pid`, or one below it, has mapped; empty if none has, or they
/// can't be looked at. Looks at 64 processes at most.
std::string mapped_mpi_library(pid_t pid);
/// Whether a file name is that of an MPI library: libmpi.so*, libmpich.so*, libmpi_*.so no.
bool is_mpi_library(std::string_view path);

}  // namespace topolaunch::launcher
