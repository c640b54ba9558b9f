// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/changed_hosts.h"

#include <algorithm>
#include <iterator>

#include "launcher/hosts/host_entry.h"

namespace topolaunch::launcher {

Result<Answer> asked_again_if_changed(bool refresh, const std::vector<JobHost>& hosts,
                                      const Outside& outside, const Voice& voice,
                                      const std::function<Result<Answer>(bool refresh)>& start) {
  const auto is_remembered = [&](const JobHost& host) {
    const auto entry = host_entry(host.name, outside.environment);
    return entry && outside.files.exists(*entry);
  };
  std::vector<JobHost> remembered;
  if (!refresh) std::ranges::copy_if(hosts, std::back_inserter(remembered), is_remembered);
  auto answer = start(refresh);
  if (answer || answer.error().code != Code::try_again ||
      std::ranges::all_of(remembered, is_remembered)) {
    return answer;
  }
  // Whatever has changed one host (a power cut) may have changed others.
  voice.say(answer.error().message + ": all hosts are asked again");
  return start(true);
}

}  // namespace topolaunch::launcher
