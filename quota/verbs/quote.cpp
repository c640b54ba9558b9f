// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {

Result<std::string> quote_text(const QuoteOptions& options, const Outside& outside) {
  auto made = quote(options.request, outside);
  if (!made) return fail(std::move(made).error());
  if (options.json) {
    Json json{{"schema", "topolaunch.quota-quote/1"}, {"text", made->text}, {"gpu_seconds", made->gpu_seconds}};
    json["wall_seconds"] = made->wall_limit ? Json(static_cast<std::int64_t>(made->wall_limit->count())) : Json(nullptr);
    json["wall_why"] = made->wall_why;
    if (made->account) {
      json["jti"] = made->account->grant.jti;
      json["team"] = made->account->grant.team;
      json["free"] = made->account->free();
      json["gpus_in_use"] = made->account->gpus_in_use;
    }
    return to_pretty(json);
  }
  std::string out = made->text + "\n";
  if (made->wall_limit) {
    out += fmt::format("time limit {}{}\n", to_text(*made->wall_limit), made->wall_why.empty() ? "" : ": " + made->wall_why);
  }
  return out;
}

}  // namespace topolaunch::quota
