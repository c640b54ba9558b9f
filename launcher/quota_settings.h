// SPDX-License-Identifier: Apache-2.0
//
// The configuration's words about quota, for everything that holds a token against them: a run, a
// measurement, `quota quote` and `quota inspect`.
#pragma once

#include "launcher/options.h"
#include "launcher/settings.h"

namespace topolaunch::launcher {

/// What a token is held against, and what is counted: quota_require_uid, quota_max_token_days,
/// quota_revocation_max_age, quota_stale_revocation, image_digest, quota_count. configuration (78)
/// for a value that can't be.
Status fill_quota_settings(const Settings& settings, QuotaOptions& quota);

/// The same with token file and ledger as configured, for the verbs that have a request alone.
Result<quota::AdmitRequest> quota_request(const Settings& settings);

}  // namespace topolaunch::launcher
