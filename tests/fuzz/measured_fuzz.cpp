// SPDX-License-Identifier: Apache-2.0
//
// Tables of pairs, Matrix Market, logs of nccl-tests: whatever the bytes, facts or one error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fabric_fuzz.h"
#include "topo/matrix_market.h"
#include "topo/nccl_pair_log.h"
#include "topo/pair_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (looks_like_pair_csv(text)) use(facts_from_pair_csv(text, "fuzz.csv"));
  if (looks_like_matrix_market(text)) use(facts_from_matrix_market(text, "fuzz.mtx"));
  if (looks_like_nccl_log(text)) use(facts_from_nccl_log(text, "fuzz.log"));
  return 0;
}
