// SPDX-License-Identifier: Apache-2.0
//
// Settings: what was configured besides the command line. Precedence: flag, then TOPOLAUNCH_*
// variable, then $XDG_CONFIG_HOME/topolaunch/config.toml, then /etc/topolaunch/config.toml - except
// for keys that the site's file locks: those stay what the site says.
//
//   # /etc/topolaunch/config.toml
//   quota = "require"
//   ledger = "sqlite:/var/lib/topolaunch/ledger.sqlite"
//   lock = ["quota", "ledger"]
//
// TOPOLAUNCH_SITE_CONFIG names another site file only where /etc/topolaunch/config.toml does not
// exist, so it can add locks on a machine without a site and can never take any away.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/outside.h"

namespace topolaunch::launcher {

/// One thing that can be configured. The option is "--" + key with '-' for '_'.
struct SettingName {
  std::string_view key;
  std::string_view variable;
  enum class Kind { text, flag, list } kind = Kind::text;
};

/// All of them, in the order in which `doctor --config` prints them.
const std::vector<SettingName>& setting_names();

/// One value and where it was written: "config.toml:3" or the variable's name.
struct Setting {
  std::string key;
  std::vector<std::string> values;  ///< one, or several for a list
  std::string origin;
  bool locked = false;
};

struct Settings {
  std::vector<Setting> effective;   ///< the winner per key, flags not counted
  std::vector<Setting> overridden;  ///< what lost, for doctor --config
  std::vector<std::string> files;   ///< configuration files that were read
  const Setting* find(std::string_view key) const;
};

/// configuration (78) with file and line for a file that can't be read, isn't TOML, or holds a key
/// or type that is not known; and for a variable that contradicts a locked key.
Result<Settings> load_settings(const Outside& outside);

/// "1", "true", "yes", "on" / "0", "false", "no", "off"; anything else is an error naming `what`.
Result<bool> parse_flag(std::string_view text, const std::string& what);

}  // namespace topolaunch::launcher
