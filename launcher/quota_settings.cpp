// SPDX-License-Identifier: Apache-2.0
#include "launcher/quota_settings.h"

namespace topolaunch::launcher {

Status fill_quota_settings(const Settings& settings, QuotaOptions& quota) {
  const auto wrong = [](const Setting& setting, const char* example) {
    return fail(
        Code::configuration,
        setting.origin + ": '" + setting.key + "' can't be '" + setting.values.front() + "'",
        std::string("write ") + example);
  };
  if (const Setting* const s = settings.find("quota_count")) {
    quota.count = s->values.front();
    if (quota.count != "gpus" && quota.count != "ranks") return wrong(*s, "gpus or ranks");
  }
  if (const Setting* const s = settings.find("quota_require_uid")) {
    quota.site.uid_required = parse_flag(s->values.front(), s->key).value_or(false);
  }
  if (const Setting* const s = settings.find("quota_max_token_days")) {
    const Environment number{{"days", s->values.front()}};
    const long days = number.get_int("days").value_or(0);
    if (days < 1 || days > 3660) return wrong(*s, "days, from 1 to 3660");
    quota.site.longest_life = std::int64_t{days} * 86400;
  }
  if (const Setting* const s = settings.find("quota_revocation_max_age")) {
    const auto age = parse_duration(s->values.front());
    if (!age) return wrong(*s, "a duration like 24h");
    quota.site.revocation_max_age = static_cast<std::int64_t>(age->count());
  }
  if (const Setting* const s = settings.find("quota_stale_revocation")) {
    if (s->values.front() != "warn" && s->values.front() != "deny")
      return wrong(*s, "warn or deny");
    quota.site.stale_revocation_denies = s->values.front() == "deny";
  }
  if (const Setting* const s = settings.find("image_digest")) {
    quota.site.demand.image = s->values.front();
    if (!quota.site.demand.image.starts_with("sha256:")) return wrong(*s, "sha256:...");
  }
  return {};
}

Result<quota::AdmitRequest> quota_request(const Settings& settings) {
  QuotaOptions quota;
  if (Status ok = fill_quota_settings(settings, quota); !ok) return fail(std::move(ok).error());
  const auto text = [&](const char* key, std::string& into) {
    if (const Setting* const s = settings.find(key)) into = s->values.front();
  };
  text("quota_token", quota.site.token_path);
  text("ledger", quota.site.ledger_url);
  return std::move(quota.site);
}

}  // namespace topolaunch::launcher
