// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/open_ledger.h"
#include "quota/printable.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {

Result<std::string> balance(const BalanceOptions& options, const Outside& outside) {
  auto ledger = open_ledger(options.ledger_url, LedgerUse::read, outside);
  if (!ledger) return fail(std::move(ledger).error());
  auto accounts = (*ledger)->balances();
  if (!accounts) return fail(std::move(accounts).error());
  std::erase_if(*accounts, [&](const Balance& a) { return !options.team.empty() && a.grant.team != options.team; });
  if (options.json) {
    Json list = Json::array();
    for (const Balance& a : *accounts) {
      list.push_back({{"jti", a.grant.jti},         {"team", a.grant.team},       {"project", a.grant.project},
                      {"subject", a.grant.subject}, {"gpu_seconds", a.grant.gpu_seconds},
                      {"spent", a.settled - a.refunded}, {"refunded", a.refunded}, {"held", a.held}, {"free", a.free()},
                      {"gpus", a.grant.gpus},       {"gpus_in_use", a.gpus_in_use},
                      {"expires", iso8601(a.grant.expires)}, {"revoked", a.revoked}});
    }
    return to_pretty(Json{{"schema", "topolaunch.quota-balance/1"}, {"ledger", (*ledger)->urn()}, {"grants", list}});
  }
  std::string out = fmt::format("ledger {}\n", (*ledger)->urn());
  if (accounts->empty()) return out + "no grants\n";
  out += fmt::format("{:<16} {:<36} {:>12} {:>12} {:>12} {:>9}  {}\n", "team", "grant", "budget/s", "spent/s", "held/s",
                     "GPUs", "until");
  for (const Balance& a : *accounts) {
    out += fmt::format("{:<16} {:<36} {:>12} {:>12} {:>12} {:>9}  {}{}\n", a.grant.team, a.grant.jti, a.grant.gpu_seconds,
                       a.settled - a.refunded, a.held, fmt::format("{}/{}", a.gpus_in_use, a.grant.gpus),
                       iso8601(a.grant.expires), a.revoked.empty() ? "" : "  revoked: " + printable(a.revoked));
  }
  return out;
}

}  // namespace topolaunch::quota
