// SPDX-License-Identifier: Apache-2.0
#include "quota/open_ledger.h"

#include <fmt/format.h>

#include <string_view>

#include "quota/printable.h"
#include "quota/store/sqlite_book.h"

namespace topolaunch::quota {

Result<std::string> named_ledger(const std::string& url) {
  constexpr std::string_view scheme = "sqlite:";
  std::string path = url.starts_with(scheme) ? url.substr(scheme.size()) : "";
  if (path.starts_with("//")) path.erase(0, 2);  // sqlite:///var/lib/... is the same file
  if (path.empty() || path.find('\0') != std::string::npos) {
    return fail(Code::wrong_usage, fmt::format("'{}' names no ledger", printable(url)), "--ledger sqlite:PATH");
  }
  return path;
}

Result<std::string> ledger_path(const std::string& url, const Outside& outside) {
  if (!url.empty()) return named_ledger(url);
  if (outside.files.exists(kSiteLedger)) return std::string(kSiteLedger);
  const Environment& env = outside.environment;
  std::string folder = env.get_or("TOPOLAUNCH_STATE_DIR", "");
  if (folder.empty()) {
    if (const std::string state = env.get_or("XDG_STATE_HOME", ""); !state.empty()) {
      folder = state + "/topolaunch";
    } else if (const std::string home = env.get_or("HOME", ""); !home.empty()) {
      folder = home + "/.local/state/topolaunch";
    }
  }
  if (folder.empty()) {
    return fail(Code::configuration, "no place for the quota ledger: neither TOPOLAUNCH_STATE_DIR nor HOME is set",
                "--ledger sqlite:PATH");
  }
  return folder + "/ledger.sqlite";
}

Result<std::unique_ptr<LedgerStore>> open_ledger(const std::string& url, LedgerUse use, const Outside& outside) {
  auto path = ledger_path(url, outside);
  if (!path) return fail(std::move(path).error());
  SqliteOptions options;
  options.mode = use == LedgerUse::read    ? SqliteOptions::Mode::read
                 : use == LedgerUse::write ? SqliteOptions::Mode::write
                                           : SqliteOptions::Mode::create;
  options.file_system = file_system_type(outside.files);
  return open_sqlite_ledger(*path, options, outside.clock);
}

}  // namespace topolaunch::quota
