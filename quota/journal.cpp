// SPDX-License-Identifier: Apache-2.0
#include "quota/journal.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/digest.h"

namespace topolaunch::quota {

std::string journal_genesis(const std::string& ledger_urn) { return sha256_hex(ledger_urn); }

std::string journal_hash(const std::string& previous, const JournalEntry& e) {
  // JSON keeps the fields apart, whatever they hold.
  return sha256_hex(to_line(Json::array(
      {previous, e.sequence, e.at, e.operation, e.jti, e.run_id, e.from, e.to, e.amount, e.note})));
}

JournalCheck check_chain(const std::vector<JournalEntry>& entries, const std::vector<Balance>& accounts,
                         const std::string& genesis) {
  JournalCheck check;
  check.head = genesis;
  std::map<std::string, std::map<std::string, std::int64_t>> sums;  // by grant, by account
  for (const JournalEntry& entry : entries) {
    check.entries += 1;
    if (entry.sequence != check.entries || entry.hash != journal_hash(check.head, entry)) {
      check.broken = fmt::format("entry {} does not follow from the one before it", check.entries);
      return check;
    }
    check.head = entry.hash;
    sums[entry.jti][entry.from] -= entry.amount;
    sums[entry.jti][entry.to] += entry.amount;
  }
  for (const Balance& account : accounts) {
    auto& sum = sums[account.grant.jti];
    if (sum["spent"] != account.settled - account.refunded || sum["held"] != account.held ||
        sum["free"] != account.free()) {
      check.broken = fmt::format("grant '{}': the journal says {} spent and {} held, the account {} and {}",
                                 account.grant.jti, sum["spent"], sum["held"], account.settled - account.refunded,
                                 account.held);
      return check;
    }
  }
  return check;
}

}  // namespace topolaunch::quota
