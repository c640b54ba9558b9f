// SPDX-License-Identifier: Apache-2.0
#include "topo/pair_columns.h"

#include <fmt/format.h>


#include "base/lower_case.h"

namespace topolaunch::topo {
namespace {

}  // namespace

PairColumns pair_columns(const std::vector<std::string>& heading) {
  PairColumns found;
  for (std::size_t i = 0; i < heading.size(); ++i) {
    const std::string name = lower_case(heading[i]);
    const int at = static_cast<int>(i);
    if (name == "src" || name == "source" || name == "from" || name == "host1") {
      found.from = at;
    } else if (name == "dst" || name == "destination" || name == "to" || name == "host2") {
      found.to = at;
    } else if (name == "nodes" || name == "hosts" || name == "pair") {
      found.hosts = at;
    } else if (name == "test") {
      found.test = at;
    } else if (name == "g") {
      found.gpus = at;
    } else if (const auto unit = measured_unit(heading[i])) {
      // Of an average and a peak: the average, which has all sizes in it.
      if (found.value >= 0 && name.find("avg") == std::string::npos) continue;
      found.value = at;
      found.unit = *unit;
    }
  }
  return found;
}

Result<MeasuredUnit> matrix_unit(const std::string& corner) {
  if (const auto unit = measured_unit(corner)) return *unit;
  if (names_no_unit(corner)) return MeasuredUnit();
  return fail(Code::invalid_input,
              fmt::format("'{}' is no unit that is known", corner.substr(0, 60)),
              std::string(kMeasuredUnits));
}

}  // namespace topolaunch::topo
