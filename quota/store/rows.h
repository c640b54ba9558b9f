// SPDX-License-Identifier: Apache-2.0
//
// Rows of the SQLite ledger to values and back: the one place that knows the order of columns.
#pragma once

#include <string>

#include "quota/ledger_store.h"
#include "quota/store/sqlite.h"

namespace topolaunch::quota {

extern const char* const kSelectAccounts;
extern const char* const kSelectAccountByJti;
extern const char* const kSelectRunById;
extern const char* const kSelectRuns;
extern const char* const kSelectOpenRuns;
extern const char* const kInsertRun;
extern const char* const kReplaceRun;

SqlRow row_of(const Balance& account);  ///< columns of table account
/// invalid_input if the claims kept with it can't be read.
Result<Balance> account_from_row(const SqlRow& row, const std::string& file);
SqlRow row_of(const RunRecord& run);  ///< columns of kInsertRun
RunRecord run_from_row(const SqlRow& row);
JournalEntry entry_from_row(const SqlRow& row);

}  // namespace topolaunch::quota
