// SPDX-License-Identifier: Apache-2.0
#include "launcher/state_directory.h"

namespace topolaunch::launcher {

Result<std::string> state_directory(const Environment& environment) {
  if (const auto own = environment.get("TOPOLAUNCH_STATE_DIR"); own && !own->empty()) {
    if (!own->starts_with('/')) {
      return fail(Code::configuration, "TOPOLAUNCH_STATE_DIR is not an absolute path: " + *own,
                  "write it from / on");
    }
    return *own;
  }
  if (const auto xdg = environment.get("XDG_STATE_HOME"); xdg && xdg->starts_with('/')) {
    return *xdg + "/topolaunch";
  }
  if (const auto home = environment.get("HOME"); home && home->starts_with('/')) {
    return *home + "/.local/state/topolaunch";
  }
  return fail(Code::configuration, "no place for files: neither HOME nor XDG_STATE_HOME is set",
              "set TOPOLAUNCH_STATE_DIR");
}

}  // namespace topolaunch::launcher
