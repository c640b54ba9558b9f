// SPDX-License-Identifier: Apache-2.0
//
// Dumps of ibnetdiscover, a line a port too, and net files: whatever the bytes, facts or one error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fabric_fuzz.h"
#include "topo/ibnetdiscover.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topolaunch::topo;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)looks_like_ibnetdiscover(text);
  use(facts_from_ibnetdiscover(text, "fuzz.txt"));
  return 0;
}
