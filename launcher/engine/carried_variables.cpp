// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "launcher/engine/remote_start.h"

namespace topolaunch::launcher {
namespace {

/// Of a host, a login or a session: wrong on another host.
constexpr std::array kLocal{
    "HOSTNAME", "HOST",   "HOSTTYPE",    "MACHTYPE", "OSTYPE",     "HOME",     "USER",  "LOGNAME",
    "SHELL",    "SHLVL",  "PWD",         "OLDPWD",   "_",          "MAIL",     "TERM*", "DISPLAY",
    "XAUTHORITY", "WAYLAND_*", "SSH_*",  "XDG_*",    "DBUS_*",     "SUDO_*",   "TMPDIR", "TMP",
    "TEMP",     "LS_COLORS", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_*", "GPG_*", "WINDOWID"};
/// What a launcher or scheduler told this process about its own place: on another host it would be
/// false. Open MPI's settings (OMPI_MCA_*) go along all the same, handed on by mpirun.
constexpr std::array kLaunchers{"OMPI_*", "PMIX_*", "PRTE_*",  "ORTE_*",
                                                 "PMI_*",  "MPI_LOCAL*", "HYDRA_*", "SLURM_*",
                                                 "SLURMD_*", "PBS_*", "LSB_*", "TOPOLAUNCH_*"};
/// What is most likely a secret.
constexpr std::array kSecrets{
    "*TOKEN*",     "*SECRET*",  "*PASSWORD*", "*PASSWD*",  "*PASSPHRASE*", "*CREDENTIAL*",
    "*API_KEY*",   "*APIKEY*",  "*PRIVATE_KEY*", "*ACCESS_KEY*", "*_AUTH",    "*_PAT"};

template <class Patterns>
bool matches(const Patterns& patterns, const std::string& name) {
  return std::ranges::any_of(
      patterns, [&](const char* pattern) { return ::fnmatch(pattern, name.c_str(), 0) == 0; });
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::map<std::string, std::string> carried_variables(const Environment& given) {
  std::vector<std::string> wanted;
  std::istringstream list(given.get_or("TOPOLAUNCH_FORWARD", ""));
  for (std::string one; std::getline(list, one, ',');) wanted.push_back(one);
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : given.variables()) {
    const std::string& name = key;  // clang 14 takes no structured binding into a lambda
    const bool asked = std::ranges::any_of(wanted, [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
    // An exported shell function is code of that shell, and no variable.
    const bool stays = matches(kLocal, name) || matches(kLaunchers, name) ||
                       matches(kSecrets, upper(name)) || name.starts_with("BASH_FUNC_");
    if (asked || !stays) out.emplace(name, value);
  }
  return out;
}

}  // namespace topolaunch::launcher
