// SPDX-License-Identifier: Apache-2.0
//
// A ledger that ends with its process: for tests, and for trying a policy out.
#pragma once

#include <memory>

#include "base/clock.h"
#include "quota/store/book.h"

namespace topolaunch::quota {

std::unique_ptr<Book> make_memory_book();
/// A whole ledger over a memory book, with a new uuid. `clock` outlives it.
std::unique_ptr<LedgerStore> make_memory_ledger(const Clock& clock);

}  // namespace topolaunch::quota
