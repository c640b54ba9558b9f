// SPDX-License-Identifier: Apache-2.0
//
// From what the user names ("sqlite:/var/lib/topolaunch/ledger.sqlite", or nothing) to a ledger.
#pragma once

#include <memory>
#include <string>

#include "base/outside.h"
#include "quota/ledger_store.h"

namespace topolaunch::quota {

inline constexpr const char* kSiteLedger = "/var/lib/topolaunch/ledger.sqlite";

enum class LedgerUse {
  read,    ///< must be there
  write,   ///< must be there
  create,  ///< made if it isn't
};

/// The file that "sqlite:PATH" names; wrong_usage for what names none.
Result<std::string> named_ledger(const std::string& url);

/// Path of the SQLite file. Empty `url`: the site's where it was set up, else ledger.sqlite in
/// $TOPOLAUNCH_STATE_DIR, $XDG_STATE_HOME/topolaunch or ~/.local/state/topolaunch. wrong_usage for
/// another scheme, configuration if there is no home.
Result<std::string> ledger_path(const std::string& url, const Outside& outside);

/// See quota/store/sqlite_book.h for how it can fail. `outside` outlives the ledger.
Result<std::unique_ptr<LedgerStore>> open_ledger(const std::string& url, LedgerUse use, const Outside& outside);

}  // namespace topolaunch::quota
