// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/commands.h"
#include "base/nearest_name.h"
#include "launcher/cli_apps.h"
#include "launcher/cli_habits.h"
#include "launcher/help.h"
#include "launcher/quota_settings.h"

namespace topolaunch::launcher {
namespace {

/// A verb's app with the request that its options write into.
struct Parser {
  std::unique_ptr<CLI::App> app;
  std::unique_ptr<Request> request;
};

/// The parsers of one command line, each built once, when first asked for: CLI11 compares every new
/// option with all before it, which for `run` costs a millisecond.
class Parsers {
 public:
  Parser& of(const VerbEntry& verb) {
    Parser& parser = made_[&verb];
    if (parser.app) return parser;
    parser = {std::make_unique<CLI::App>(std::string(verb.summary)), std::make_unique<Request>()};
    parser.app->name("topolaunch " + std::string(verb.name));
    parser.app->get_formatter()->column_width(32);
    parser.app->set_help_flag("-h,--help", "this text")->group("Output");
    verb.build(*parser.app, *parser.request);
    return parser;
  }

 private:
  std::map<const VerbEntry*, Parser> made_;
};

const VerbEntry* find_verb(std::string_view name) {
  for (const VerbEntry& verb : verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

/// Whether an option word is followed by its value; asks the verbs, `run` first. Nothing for one
/// that no verb knows.
std::optional<bool> takes_value(const std::string& word, Parsers& parsers) {
  const bool is_short = !word.starts_with("--");
  const std::string name = is_short ? word.substr(0, 2) : word.substr(0, word.find('='));
  for (const VerbEntry& verb : verbs()) {
    const CLI::App& app = *parsers.of(verb).app;
    if (is_short && name != word && !our_way(word, app).empty()) return std::nullopt;  // -np
    if (const CLI::Option* const option = app.get_option_no_throw(name)) {
      return option->get_items_expected_max() > 0 && name == word;  // not -n4, --ranks=4
    }
  }
  return std::nullopt;
}

struct Split {
  std::vector<std::string> options;  ///< without the verb
  std::optional<std::string> first;  ///< first word that is neither an option nor its value
  std::vector<std::string> command;
  bool has_separator = false;
};

Split split_words(const std::vector<std::string>& words, Parsers& parsers) {
  Split split;
  std::size_t i = 0;
  bool looking = true;  // for the verb; an unknown option ends that: it is refused by name
  for (; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (split.first || !looking) {
      split.options.push_back(word);
    } else if (word.size() > 1 && word.front() == '-') {
      split.options.push_back(word);
      const auto valued = takes_value(word, parsers);
      looking = valued.has_value();
      if (valued.value_or(false) && i + 1 < words.size() && words[i + 1] != "--") {
        split.options.push_back(words[++i]);
      }
    } else {
      split.first = word;
    }
  }
  split.has_separator = i < words.size();
  if (split.has_separator) {
    split.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  }
  return split;
}

std::string verb_help(const VerbEntry& verb, Parsers& parsers) {
  return help_of(*parsers.of(verb).app, std::string(verb.name) + " " + std::string(verb.usage));
}

tl::unexpected<Error> unknown_verb(const std::string& word,
                                   const std::vector<std::string>& words,
                                   const std::function<bool(const std::string&)>& is_command) {
  for (const PlannedName& planned : planned_verbs()) {
    if (planned.name == word) {
      return fail(Code::wrong_usage, "'" + word + "' is not in this version of topolaunch yet",
                  std::string(planned.instead));
    }
  }
  if (const auto meant = meant_command(word, is_command); !meant.empty()) {
    const auto at = std::ranges::find(words, word);
    std::vector<std::string> better{"topolaunch"};
    better.insert(better.end(), words.begin(), at);
    better.emplace_back("--");
    better.insert(better.end(), meant.begin(), meant.end());
    better.insert(better.end(), at + 1, words.end());
    return fail(Code::wrong_usage, "'" + word + "' is a command, not a verb of topolaunch",
                "put -- before it: " + shell_quoted(better));
  }
  std::vector<std::string> known;
  for (const VerbEntry& verb : verbs()) known.emplace_back(verb.name);
  const std::string near = nearest_name(word, known);
  return fail(Code::wrong_usage, "unknown verb '" + word + "'",
              near.empty() ? "see: topolaunch --help; a command goes behind --"
                           : "did you mean '" + near + "'?");
}

/// Gives options that no flag has set their configured value; holds flags to the site's locks.
Status apply_settings(CLI::App& app, const Settings& settings) {
  for (const Setting& setting : settings.effective) {
    std::string name = "--" + setting.key;
    std::ranges::replace(name, '_', '-');
    CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr) continue;
    // `log_dir = ""` in a user's file takes back what the site's gives.
    if (setting.values.front().empty() && option->count() == 0) continue;
    if (option->count() > 0) {
      const bool same = option->get_items_expected_max() == 0
                            ? parse_flag(setting.values.front(), "").value_or(false)
                            : option->results() == setting.values;
      if (setting.locked && !same) {
        return fail(Code::configuration,
                    name + " contradicts '" + setting.key + "', which the site has locked (" +
                        setting.origin + ")",
                    "leave it out: the site's value stays");
      }
      continue;
    }
    // What the command line says the contrary of stays unsaid.
    const auto given = [](const CLI::Option* other) { return other->count() > 0; };
    if (!setting.locked && std::ranges::any_of(option->get_excludes(), given)) continue;
    try {
      if (option->get_items_expected_max() == 0) {
        if (!parse_flag(setting.values.front(), "").value_or(false)) continue;
        option->add_result(std::string("true"));
      } else {
        for (const std::string& value : setting.values) option->add_result(value);
      }
      option->run_callback();
    } catch (const OptionProblem& problem) {
      Error error = problem.error;
      error.code = Code::configuration;
      error.message = setting.origin + ": " + error.message;
      return fail(std::move(error));
    } catch (const CLI::ParseError& error) {
      return fail(Code::configuration, setting.origin + ": " + error.what());
    }
  }
  return {};
}

}  // namespace

Result<Request> parse_command_line(const std::vector<std::string>& words, const Settings& settings,
                                   const std::function<bool(const std::string&)>& is_command) {
  Parsers parsers;
  Split split = split_words(words, parsers);
  const VerbEntry* verb = &verbs().front();
  if (split.first) {
    verb = find_verb(*split.first);
    if (*split.first == "help") {
      if (split.options.empty()) return Request(HelpRequest{general_help()});
      verb = find_verb(split.options.front());
      if (verb == nullptr) return unknown_verb(split.options.front(), words, is_command);
      return Request(HelpRequest{verb_help(*verb, parsers)});
    }
    if (verb == nullptr) return unknown_verb(*split.first, words, is_command);
  }
  if (verb->name == "quota") {
    QuotaVerbOptions quota;
    if (!split.options.empty() && !split.options.front().starts_with('-')) {
      quota.subverb = split.options.front();
      split.options.erase(split.options.begin());
    }
    quota.words = std::move(split.options);
    return Request(std::move(quota));
  }
  if (asks_for_help(split.options)) {
    return Request(HelpRequest{split.first ? verb_help(*verb, parsers) : general_help()});
  }
  Parser& parser = parsers.of(*verb);
  Status parsed = parse_words(*parser.app, std::move(split.options), std::string(verb->name));
  if (parsed) parsed = apply_settings(*parser.app, settings);
  if (!parsed) {
    // A command without "--" is told apart from a word too many.
    if (verb->name == "run" && !split.has_separator && split.first) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == *split.first && i + 1 < words.size() &&
            !meant_command(words[i + 1], is_command).empty()) {
          return unknown_verb(words[i + 1], words, is_command);
        }
      }
    }
    return fail(std::move(parsed).error());
  }
  if (split.has_separator && !verb->takes_command) {
    return fail(Code::wrong_usage, "'" + std::string(verb->name) + "' starts no command",
                "leave out -- and what follows");
  }
  if (auto* const run = std::get_if<RunOptions>(parser.request.get())) {
    if (Status ok = fill_quota_settings(settings, run->quota); !ok) {
      return fail(std::move(ok).error());
    }
    run->command = std::move(split.command);
    if (run->command.empty()) {
      return fail(Code::wrong_usage, "no command given",
                  "usage: topolaunch [OPTIONS] -- COMMAND [ARGS...]; see topolaunch --help");
    }
    if (run->command.front().empty()) {
      return fail(Code::wrong_usage, "the command is an empty word", "put a program behind --");
    }
  }
  if (auto* const bench = std::get_if<BenchOptions>(parser.request.get())) {
    if (Status ok = fill_quota_settings(settings, bench->quota); !ok) {
      return fail(std::move(ok).error());
    }
    bench->topobench = std::move(split.command);
  }
  return std::move(*parser.request);
}

}  // namespace topolaunch::launcher
