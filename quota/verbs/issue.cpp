// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "quota/guarded_file.h"
#include "quota/open_ledger.h"
#include "quota/printable.h"
#include "quota/uuid.h"
#include "quota/verbs/issuer_key.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {
namespace {

constexpr double kSecondsPerDay = 86400;

tl::unexpected<Error> usage_error(std::string why, std::string next) {
  return fail(Code::wrong_usage, std::move(why), std::move(next));
}

Status read_window(const std::string& text, Grant& grant) {
  if (text.empty()) return {};
  const auto dots = text.find("..");
  if (dots == std::string::npos) {
    return usage_error(fmt::format("'{}' is not a window", printable(text)), "--window 2026-12-01..2026-12-31");
  }
  auto start = parse_time(text.substr(0, dots));
  if (!start) return fail(std::move(start).error());
  auto end = parse_time(text.substr(dots + 2));
  if (!end) return fail(std::move(end).error());
  if (*end <= *start) return usage_error("the window ends before it starts", "--window START..END");
  grant.window_start = *start;
  grant.window_end = *end;
  return {};
}

}  // namespace

Result<std::int64_t> parse_time(const std::string& text) {
  std::tm parts{};
  int end = 0;
  const bool full = std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                                &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &end) == 6 &&
                    static_cast<std::size_t>(end) == text.size();
  if (!full) {
    parts = {};
    end = 0;
    if (std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &end) != 3 ||
        static_cast<std::size_t>(end) != text.size()) {
      return usage_error(fmt::format("'{}' is not a time", printable(text)),
                         "write it like 2026-12-01 or 2026-12-01T08:00:00Z (UTC)");
    }
  }
  const std::tm given = parts;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::int64_t seconds = ::timegm(&parts);
  // timegm normalises: 2026-02-30 would silently be 2 March.
  if (given.tm_year < 1970 || parts.tm_mday != given.tm_mday || parts.tm_mon != given.tm_mon - 1 ||
      parts.tm_hour != given.tm_hour || parts.tm_min != given.tm_min || parts.tm_sec != given.tm_sec) {
    return usage_error(fmt::format("there is no time '{}'", printable(text)), "write it like 2026-12-01");
  }
  return seconds;
}

Result<std::string> issue(const IssueOptions& options, const Outside& outside) {
  Claims claims;
  Grant& grant = claims.grant;
  if (options.gpu_seconds.has_value() == options.gpu_hours.has_value()) {
    return usage_error("a grant needs its budget", "--gpu-hours N or --gpu-seconds N, one of them");
  }
  if (options.gpu_hours && !(*options.gpu_hours >= 0 && *options.gpu_hours < 1e12)) {
    return usage_error("--gpu-hours is out of range", "give a number of hours from 0");
  }
  if (!(options.days > 0 && options.days <= 3660)) return usage_error("--days is out of range", "give 1 to 35");
  grant.subject = options.subject;
  grant.team = options.team;
  grant.project = options.project;
  grant.gpus = options.gpus;
  grant.gpu_seconds = options.gpu_seconds ? *options.gpu_seconds
                                          : static_cast<std::int64_t>(std::llround(*options.gpu_hours * 3600));
  grant.types = options.types.empty() ? std::vector<std::string>{"*"} : options.types;
  grant.max_wall_seconds = options.max_wall_seconds;
  grant.priority = options.priority;
  if (auto window = read_window(options.window, grant); !window) return fail(window.error());
  claims.uid = options.uid;
  claims.preemptible = options.preemptible;
  auto key = read_issuer_key(options.key_file);
  if (!key) return fail(std::move(key).error());
  const std::int64_t now = outside.clock.unix_seconds();
  grant.issuer = key->issuer;
  grant.jti = make_uuid_v7(outside.clock.unix_time());
  claims.issued_at = now;
  grant.not_before = now;
  grant.expires = now + static_cast<std::int64_t>(options.days * kSecondsPerDay);

  claims.audience = "urn:topolaunch:ledger:" + std::string(36, '0');  // to check the rest before a ledger is made
  if (auto checked = claims_from_json(to_json(claims)); !checked) {
    return usage_error("no such grant can be written: " + checked.error().error.message,
                       "quota issue --help shows what each limit may be");
  }
  std::unique_ptr<LedgerStore> ledger;
  if (options.audience.empty()) {
    auto opened = open_ledger(options.ledger_url, LedgerUse::create, outside);
    if (!opened) return fail(std::move(opened).error());
    ledger = std::move(*opened);
    claims.audience = ledger->urn();
  } else if (constexpr std::string_view prefix = "urn:topolaunch:ledger:";
             !options.audience.starts_with(prefix) || !is_uuid(options.audience.substr(prefix.size()))) {
    return usage_error(fmt::format("'{}' is not a ledger's name", printable(options.audience)),
                       "--aud urn:topolaunch:ledger:UUID (quota balance shows it)");
  } else {
    claims.audience = options.audience;
  }
  const std::string path = options.out.empty() ? grant.team + "-" + [&] {
    std::string name = printable(grant.subject, 64);
    std::ranges::replace(name, '/', '_');
    return name;
  }() + ".token" : options.out;
  if (auto made = create_file(path, make_jws(kTokenType, to_json(claims), key->key) + "\n", 0600); !made) {
    return fail(made.error());
  }
  if (ledger) {
    if (auto known = ledger->enroll(grant); !known) return fail(known.error());
  }
  if (options.json) {
    Json json{{"schema", "topolaunch.quota-issue/1"}, {"token_file", path}, {"kid", key->key.kid()}};
    json["claims"] = to_json(claims);
    return to_pretty(json);
  }
  const double taken = static_cast<double>(Expectation{}.longest_life) / kSecondsPerDay;
  const std::string too_long =
      options.days <= taken
          ? ""
          : fmt::format("note     taken only where quota_max_token_days is {} or more; without that it is {}\n",
                        std::ceil(options.days), taken);
  return fmt::format("token    {}  (mode 0600: whoever has it can spend it)\ngrant    {}\nteam     {}, for {}\n"
                     "limits   {} GPUs at once, {} GPU-seconds, until {}\nledger   {}\n{}",
                     path, grant.jti, grant.team, grant.subject, grant.gpus, grant.gpu_seconds, iso8601(grant.expires),
                     claims.audience, too_long);
}

}  // namespace topolaunch::quota
