// SPDX-License-Identifier: Apache-2.0
//
// The chain of journal entries: each one's hash covers the one before, the first one's the ledger's
// name. It shows a change, it does not stop the owner of the file from making all of it anew: for
// that the head must be kept elsewhere.
#pragma once

#include <string>
#include <vector>

#include "quota/ledger_store.h"

namespace topolaunch::quota {

/// What stands in place of a hash before the first entry.
std::string journal_genesis(const std::string& ledger_urn);
/// SHA-256 over the previous hash and the entry (its own hash left out) as one JSON line.
std::string journal_hash(const std::string& previous, const JournalEntry& entry);
/// Recomputes the chain, and every account's sums from it.
JournalCheck check_chain(const std::vector<JournalEntry>& entries, const std::vector<Balance>& accounts,
                         const std::string& genesis);

}  // namespace topolaunch::quota
