// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/nccl_names.h"

#include <gtest/gtest.h>

namespace topolaunch::topo {
namespace {

TEST(LintNcclNames, SaysWhatAMisspeltVariableWasMeantToBe) {
  EXPECT_EQ(misspelt_nccl_name("NCCL_SOKET_IFNAME"), "NCCL_SOCKET_IFNAME");
  EXPECT_EQ(misspelt_nccl_name("NCCL_P2P_DISABLED"), "NCCL_P2P_DISABLE");
  EXPECT_EQ(misspelt_nccl_name("NCCL_IB_HAC"), "NCCL_IB_HCA");
  EXPECT_EQ(misspelt_nccl_name("NCCL_DEBUG_SUBSYSTEM"), "NCCL_DEBUG_SUBSYS");
}

TEST(LintNcclNames, IsSilentOfKnownOnesAndOfThoseOfOthers) {
  for (const char* name : {"NCCL_SOCKET_IFNAME", "NCCL_DEBUG", "NCCL_NET", "NCCL_MIN_CTAS", "NCCL_NVLS_ENABLE",
                           "NCCL_IB_CUDA_SUPPORT", "NCCL_TUNER_CONFIG_PATH", "NCCL_", "NCCL_HOME", "NCCL_ROOT",
                           "NCCL_VERSION", "NCCL_INCLUDE_DIR", "NCCL_LIB_DIR", "NCCL_ASYNC_ERROR_HANDLING",
                           "NCCL_BLOCKING_WAIT", "NCCL_FASTRAK_IFNAME", "NCCL_GPUDIRECTTCPX_CTRL_DEV",
                           "NCCL_OFI_TUNER", "SOKET_IFNAME", "CUDA_VISIBLE_DEVICES"}) {
    EXPECT_EQ(misspelt_nccl_name(name), "") << name;
  }
}

}  // namespace
}  // namespace topolaunch::topo
