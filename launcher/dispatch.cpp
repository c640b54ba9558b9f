// SPDX-License-Identifier: Apache-2.0
#include "launcher/dispatch.h"

#include <utility>
#include <variant>

#include "base/commands.h"
#include "launcher/cli.h"
#include "launcher/run.h"
#include "launcher/verbs/bench.h"
#include "launcher/verbs/doctor.h"
#include "launcher/verbs/inspect.h"
#include "launcher/verbs/lint.h"
#include "launcher/verbs/map.h"
#include "launcher/verbs/quota.h"
#include "launcher/verbs/saved.h"

namespace topolaunch::launcher {
namespace {

/// Runs the verb whose options the request holds.
struct Verb {
  const Settings& settings;
  const Outside& outside;
  const std::function<void(const std::string&)>& say;

  Voice voice(bool quiet, bool verbose) const {
    const auto nothing = [](const std::string&) {};
    Voice out{nothing, nothing};
    if (!quiet) out.say = say;
    if (verbose && !quiet) out.detail = say;
    return out;
  }

  Result<Answer> operator()(const HelpRequest& o) const { return Answer{o.text, 0}; }
  Result<Answer> operator()(const RunOptions& o) const {
    return run(o, outside, voice(o.quiet, o.verbose));
  }
  Result<Answer> operator()(const TopoOptions& o) const { return topo_verb(o, outside); }
  Result<Answer> operator()(const LintOptions& o) const { return lint_verb(o, outside); }
  Result<Answer> operator()(const MapOptions& o) const {
    return map_verb(o, outside, voice(false, false));
  }
  Result<Answer> operator()(const BenchOptions& o) const {
    return bench_verb(o, outside, voice(o.quiet, o.verbose));
  }
  Result<Answer> operator()(const ValidateOptions& o) const { return validate_verb(o, outside); }
  Result<Answer> operator()(const PsOptions& o) const { return ps_verb(o, outside); }
  Result<Answer> operator()(const ReportOptions& o) const { return report_verb(o, outside); }
  Result<Answer> operator()(const DoctorOptions& o) const {
    return doctor_verb(o, settings, outside);
  }
  Result<Answer> operator()(const QuotaVerbOptions& o) const {
    return quota_verb(o, settings, outside);
  }
};

}  // namespace

Result<Answer> answer_to(const std::vector<std::string>& words, const Outside& outside,
                         const std::function<void(const std::string&)>& say) {
  auto settings = load_settings(outside);
  if (!settings) {
    // Help must not depend on what it may be needed to mend.
    const auto plain = parse_command_line(words, Settings{}, [](const std::string&) { return false; });
    if (plain && std::holds_alternative<HelpRequest>(*plain)) {
      return std::visit(Verb{Settings{}, outside, say}, *plain);
    }
    return fail(std::move(settings).error());
  }
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  auto request = parse_command_line(words, *settings, [&](const std::string& word) {
    return find_executable(word, path).has_value();
  });
  if (!request) return fail(std::move(request).error());
  if (auto* const launch = std::get_if<RunOptions>(&*request)) launch->typed = words;
  return std::visit(Verb{*settings, outside, say}, *request);
}

}  // namespace topolaunch::launcher
