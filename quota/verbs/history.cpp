// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/json.h"
#include "quota/open_ledger.h"
#include "quota/printable.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {

Result<std::string> history(const HistoryOptions& options, const Outside& outside) {
  auto ledger = open_ledger(options.ledger_url, LedgerUse::read, outside);
  if (!ledger) return fail(std::move(ledger).error());
  auto check = (*ledger)->check_journal();
  if (!check) return fail(std::move(check).error());
  auto entries = (*ledger)->journal();
  if (!entries) return fail(std::move(entries).error());
  std::erase_if(*entries, [&](const JournalEntry& e) {
    return (!options.jti.empty() && e.jti != options.jti) || (!options.run_id.empty() && e.run_id != options.run_id);
  });
  if (options.json) {
    Json list = Json::array();
    for (const JournalEntry& e : *entries) {
      list.push_back({{"sequence", e.sequence}, {"at", iso8601(e.at)}, {"operation", e.operation}, {"jti", e.jti},
                      {"run_id", e.run_id}, {"from", e.from}, {"to", e.to}, {"gpu_seconds", e.amount}, {"note", e.note},
                      {"hash", e.hash}});
    }
    return to_pretty(Json{{"schema", "topolaunch.quota-history/1"}, {"ledger", (*ledger)->urn()}, {"entries", list},
                          {"head", check->head}, {"intact", check->broken.empty()}, {"broken", check->broken}});
  }
  std::string out;
  for (const JournalEntry& e : *entries) {
    out += fmt::format("{:>6}  {}  {:<11} {:<36} {:>10}  {:<6} -> {:<6} {}\n", e.sequence, iso8601(e.at), e.operation,
                       printable(e.run_id.empty() ? e.jti : e.run_id), e.amount, e.from, e.to, printable(e.note, 120));
  }
  out += check->broken.empty() ? fmt::format("journal intact: {}, head {}\n",
                                             counted(check->entries, "entry"), check->head)
                               : fmt::format("JOURNAL BROKEN: {}\n", check->broken);
  return out;
}

}  // namespace topolaunch::quota
