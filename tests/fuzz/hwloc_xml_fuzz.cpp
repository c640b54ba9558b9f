// SPDX-License-Identifier: Apache-2.0
//
// hwloc XML: our preparation of it, then hwloc's own reader, which trusts what it is handed.
#include <cstddef>
#include <cstdint>
#include <string>

#include "topo/source/hwloc.h"
#include "topo/source/hwloc_xml.h"

/// hwloc keeps a few hundred bytes of a file that it refuses.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhwloc"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto prepared = topolaunch::topo::prepare_hwloc_xml(text, "fuzz.xml");
  if (!prepared) return 0;
  // What it makes is read by itself again.
  if (!topolaunch::topo::prepare_hwloc_xml(prepared->text, "fuzz.xml")) __builtin_trap();
  (void)topolaunch::topo::facts_from_hwloc_xml(text, "fuzz.xml");
  return 0;
}
