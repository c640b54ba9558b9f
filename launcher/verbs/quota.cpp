// SPDX-License-Identifier: Apache-2.0
#include "launcher/verbs/quota.h"

#include <charconv>
#include <functional>
#include <utility>

#include "base/nearest_name.h"
#include "launcher/cli_options.h"
#include "launcher/quota_settings.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::launcher {
namespace {

/// An app that is filled, and what to do once it has read its words.
using Work = std::function<Result<Answer>(const Outside&)>;

Result<Answer> answer(Result<std::string> text) {
  if (!text) return fail(std::move(text).error());
  return Answer{std::move(*text), 0};
}

void number(CLI::App& app, const char* names, std::int64_t& into, const char* meaning,
            const char* type) {
  parsed(
      app, names,
      [&into](const std::string& value) -> Status {
        auto n = whole_number(value, 0, std::int64_t{1} << 52);
        if (!n) return fail(std::move(n).error());
        into = *n;
        return {};
      },
      meaning, type, "Options");
}

void real(CLI::App& app, const char* names, std::function<void(double)> into, const char* meaning,
          const char* type) {
  parsed(
      app, names,
      [into = std::move(into)](const std::string& value) -> Status {
        double n = 0;
        const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), n);
        if (error != std::errc{} || stop != value.data() + value.size() || !(n > 0) || n > 1e12) {
          return fail(Code::wrong_usage, "'" + value + "' is not a number above 0");
        }
        into(n);
        return {};
      },
      meaning, type, "Options");
}

void ledger(CLI::App& app, std::string& into) {
  text(app, "--ledger", into, "where runs are charged", "sqlite:PATH", "Options");
}

void json_flag(CLI::App& app, bool& into) {
  flag(app, "--json", into, "one JSON object on stdout", "Options");
}

/// inspect and quote hold a token against what a run would. A bad configuration is told when they
/// work, not while their help is made.
template <class Options>
Status request_from(const Settings& settings, Options& options) {
  auto request = quota_request(settings);
  if (!request) return fail(std::move(request).error());
  options.request = std::move(*request);
  return {};
}

Work keygen(CLI::App& app, const Settings&) {
  auto o = std::make_shared<quota::KeygenOptions>();
  text(app, "--out", o->folder, "folder for the two files", "DIR", "Options");
  text(app, "--issuer", o->issuer, "https URL that names the issuer", "URL", "Options");
  flag(app, "--trust", o->trust, "trust this key on this machine", "Options");
  json_flag(app, o->json);
  return [o](const Outside& outside) { return answer(quota::keygen(*o, outside)); };
}

Work issue(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::IssueOptions>();
  if (const Setting* const s = settings.find("ledger")) o->ledger_url = s->values.front();
  text(app, "--key", o->key_file, "issuer's secret key", "FILE", "Options")->required();
  text(app, "--out", o->out, "token file (TEAM-SUBJECT.token)", "FILE", "Options");
  text(app, "--subject", o->subject, "who may use it", "NAME", "Options")->required();
  text(app, "--team", o->team, "who pays", "NAME", "Options")->required();
  text(app, "--project", o->project, "for the record", "NAME", "Options");
  number(app, "--gpus", o->gpus, "at once, over all runs", "N");
  parsed(
      app, "--gpu-seconds",
      [o](const std::string& value) -> Status {
        auto n = whole_number(value, 0, std::int64_t{1} << 52);
        if (!n) return fail(std::move(n).error());
        o->gpu_seconds = *n;
        return {};
      },
      "over the token's life", "N", "Options");
  real(app, "--gpu-hours", [o](double n) { o->gpu_hours = n; }, "the same in hours", "N");
  list(app, "--types", o->types, "GPU models allowed; repeatable (any)", "NAME", "Options");
  text(app, "--window", o->window, "only between these times", "START..END", "Options");
  real(app, "--days", [o](double n) { o->days = n; }, "until it expires (30)", "N");
  text(app, "--aud", o->audience, "urn of the ledger it is for", "URN", "Options");
  ledger(app, o->ledger_url);
  parsed(
      app, "--uid",
      [o](const std::string& value) -> Status {
        auto n = whole_number(value, 0, 4294967294);
        if (!n) return fail(std::move(n).error());
        o->uid = *n;
        return {};
      },
      "only this user number may use it", "N", "Options");
  number(app, "--max-wall", o->max_wall_seconds, "longest run in seconds (no limit)", "N");
  json_flag(app, o->json);
  return [o](const Outside& outside) { return answer(quota::issue(*o, outside)); };
}

Work inspect(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::InspectOptions>();
  const Status configured = request_from(settings, *o);
  app.add_option("TOKEN", o->request.token_path, "token file");
  ledger(app, o->request.ledger_url);
  json_flag(app, o->json);
  return [o, configured](const Outside& outside) -> Result<Answer> {
    if (!configured) return fail(configured.error());
    auto seen = quota::inspect(*o, outside);
    if (!seen) return fail(std::move(seen).error());
    return Answer{seen->text, seen->accepted ? 0 : exit_status(Code::denied)};
  };
}

Work quote(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::QuoteOptions>();
  const Status configured = request_from(settings, *o);
  text(app, "--quota-token", o->request.token_path, "token file", "FILE", "Options");
  ledger(app, o->request.ledger_url);
  number(app, "--gpus", o->request.demand.count, "that the run would take", "N");
  number(app, "--seconds", o->request.demand.wall_seconds, "that it would last", "N");
  list(app, "--type", o->request.demand.gpu_models, "GPU model; repeatable", "NAME", "Options");
  json_flag(app, o->json);
  return [o, configured](const Outside& outside) -> Result<Answer> {
    if (!configured) return fail(configured.error());
    return answer(quota::quote_text(*o, outside));
  };
}

Work balance(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::BalanceOptions>();
  if (const Setting* const s = settings.find("ledger")) o->ledger_url = s->values.front();
  ledger(app, o->ledger_url);
  text(app, "--team", o->team, "only this one", "NAME", "Options");
  json_flag(app, o->json);
  return [o](const Outside& outside) { return answer(quota::balance(*o, outside)); };
}

Work usage(CLI::App& app, const Settings& settings) {
  using Options = quota::UsageOptions;
  auto o = std::make_shared<Options>();
  auto by = std::make_shared<std::string>("team");
  auto format = std::make_shared<std::string>("text");
  if (const Setting* const s = settings.find("ledger")) o->ledger_url = s->values.front();
  ledger(app, o->ledger_url);
  choice(app, "--by", *by, {"team", "user", "run"}, "team|user|run", "NAME", "Options");
  text(app, "--since", o->since, "2026-12-01, or 7d back", "WHEN", "Options");
  text(app, "--team", o->team, "only this one", "NAME", "Options");
  text(app, "--user", o->user, "only this one", "NAME", "Options");
  flag(app, "--open", o->open_only, "only runs that still hold something", "Options");
  choice(app, "--format", *format, {"text", "json", "csv"}, "text|json|csv", "NAME", "Options");
  app.add_flag_callback("--json", [format] { *format = "json"; }, "the same as --format json")
      ->group("Options");
  return [o, by, format](const Outside& outside) {
    o->by = *by == "run"    ? Options::By::run
            : *by == "user" ? Options::By::user
                            : Options::By::team;
    o->format = *format == "json"  ? Options::Format::json
                : *format == "csv" ? Options::Format::csv
                                   : Options::Format::text;
    return answer(quota::usage(*o, outside));
  };
}

Work history(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::HistoryOptions>();
  if (const Setting* const s = settings.find("ledger")) o->ledger_url = s->values.front();
  ledger(app, o->ledger_url);
  text(app, "--grant", o->jti, "only this one", "JTI", "Options");
  text(app, "--run", o->run_id, "only this one", "ID", "Options");
  json_flag(app, o->json);
  return [o](const Outside& outside) { return answer(quota::history(*o, outside)); };
}

Work revoke(CLI::App& app, const Settings& settings) {
  auto o = std::make_shared<quota::RevokeOptions>();
  if (const Setting* const s = settings.find("ledger")) o->ledger_url = s->values.front();
  app.add_option("JTI", o->jti, "grant to withdraw");
  text(app, "--kid", o->kid, "a key instead of a grant (by --list only)", "KID", "Options");
  text(app, "--reason", o->reason, "for the record", "TEXT", "Options");
  ledger(app, o->ledger_url);
  text(app, "--list", o->list_file, "signed list to make or extend", "FILE", "Options");
  text(app, "--key", o->key_file, "issuer's secret key, for --list", "FILE", "Options");
  flag(app, "!--no-ledger", o->in_ledger, "by list only", "Options");
  real(app, "--days", [o](double n) { o->days = n; }, "until the list is to be renewed", "N");
  json_flag(app, o->json);
  return [o](const Outside& outside) { return answer(quota::revoke(*o, outside)); };
}

struct Subverb {
  std::string_view name, usage, summary;
  Work (*build)(CLI::App& app, const Settings& settings);
};

const std::vector<Subverb>& subverbs() {
  static const std::vector<Subverb> all{
      {"keygen", "[OPTIONS]", "make an issuer's pair of keys", keygen},
      {"issue", "--key FILE --subject NAME --team NAME [OPTIONS]", "sign a token", issue},
      {"inspect", "[OPTIONS] [TOKEN]", "what a token says, and whether it holds here", inspect},
      {"quote", "[OPTIONS]", "what a run would cost", quote},
      {"balance", "[OPTIONS]", "what is held, charged and free", balance},
      {"usage", "[OPTIONS]", "who has used what", usage},
      {"history", "[OPTIONS]", "the journal, and whether its chain holds", history},
      {"revoke", "[OPTIONS] [JTI]", "withdraw a grant or a key", revoke},
  };
  return all;
}

std::string quota_help() {
  std::string out = "Usage: topolaunch quota SUBVERB [OPTIONS]\n\n";
  for (const Subverb& one : subverbs()) {
    std::string line = "  " + std::string(one.name);
    line.resize(12, ' ');
    out += line + std::string(one.summary) + "\n";
  }
  return out +
         "\nAdvisory: it stops an honest mistake, not a user who edits his own ledger.\n"
         "topolaunch quota SUBVERB --help shows a subverb's options.\n";
}

}  // namespace

Result<Answer> quota_verb(const QuotaVerbOptions& options, const Settings& settings,
                          const Outside& outside) {
  if (options.subverb.empty()) {
    if (asks_for_help(options.words)) return Answer{quota_help(), 0};
    return fail(Code::wrong_usage, "quota needs a subverb", "see: topolaunch quota --help");
  }
  std::vector<std::string> known;
  for (const Subverb& one : subverbs()) {
    known.emplace_back(one.name);
    if (one.name != options.subverb) continue;
    CLI::App app{std::string(one.summary)};
    app.get_formatter()->column_width(32);
    app.set_help_flag("-h,--help", "this text")->group("Options");
    const std::string verb = "quota " + std::string(one.name);
    const Work work = one.build(app, settings);
    if (asks_for_help(options.words)) {
      return Answer{help_of(app, verb + " " + std::string(one.usage)), 0};
    }
    if (Status ok = parse_words(app, options.words, verb); !ok) return fail(std::move(ok).error());
    // A locked ledger is the site's, whatever a flag says.
    const Setting* const lock = settings.find("ledger");
    if (const auto* const given = app.get_option_no_throw("--ledger");
        given != nullptr && given->count() > 0 && lock != nullptr && lock->locked &&
        given->results().back() != lock->values.front()) {
      return fail(Code::configuration,
                  "--ledger contradicts 'ledger', which the site has locked (" + lock->origin + ")",
                  "leave it out: the site's value stays");
    }
    return work(outside);
  }
  if (options.subverb == "carve" || options.subverb == "policy" || options.subverb == "audit") {
    return fail(Code::wrong_usage,
                "'quota " + options.subverb + "' is not in this version of topolaunch yet",
                "see: topolaunch quota --help");
  }
  const std::string near = nearest_name(options.subverb, known);
  return fail(Code::wrong_usage, "unknown subverb 'quota " + options.subverb + "'",
              near.empty() ? "see: topolaunch quota --help" : "did you mean '" + near + "'?");
}

}  // namespace topolaunch::launcher
