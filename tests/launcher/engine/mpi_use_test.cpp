// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpi_use.h"

#include <gtest/gtest.h>

namespace topolaunch::launcher {
namespace {

TEST(MpiUse, KnowsMpiLibrariesByName) {
  for (const char* const name :
       {"/usr/lib/libmpi.so.40", "libmpich.so.12", "/opt/cray/libmpi_cray.so.12", "libmpi.so"}) {
    EXPECT_TRUE(is_mpi_library(name)) << name;
  }
  for (const char* const name :
       {"/usr/lib/libmpfr.so.6", "libmpi_cxx.so.40", "libmpidec.so", "/libmpi/libc.so.6"}) {
    EXPECT_FALSE(is_mpi_library(name)) << name;
  }
  EXPECT_EQ(mpi_library_of("/bin/sh", RootedFiles()), "");
  EXPECT_EQ(mpi_library_of("/etc/passwd", RootedFiles()), "");
}

}  // namespace
}  // namespace topolaunch::launcher
