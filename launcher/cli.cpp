// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/commands.h"
#include "launcher/cli_apps.h"
#include "launcher/help.h"
#include "launcher/nearest_name.h"

namespace topolaunch::launcher {
namespace {

/// A verb's app with the request that its options write into.
struct Parser {
  std::unique_ptr<CLI::App> app;
  std::unique_ptr<Request> request;
};

Parser make_parser(const VerbEntry& verb) {
  Parser parser{std::make_unique<CLI::App>(std::string(verb.summary)),
                std::make_unique<Request>()};
  parser.app->name("topolaunch " + std::string(verb.name));
  parser.app->get_formatter()->column_width(32);
  parser.app->set_help_flag("-h,--help", "this text")->group("Output");
  verb.build(*parser.app, *parser.request);
  return parser;
}

const VerbEntry* find_verb(std::string_view name) {
  for (const VerbEntry& verb : verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

/// Whether an option word is followed by its value; asks the verbs, `run` first. One that no verb
/// knows is taken for a switch: it will be refused by name anyway.
bool takes_value(const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const bool is_short = !word.starts_with("--");
  if (is_short && word.size() > 2) return false;  // -n4
  for (const VerbEntry& verb : verbs()) {
    const Parser parser = make_parser(verb);
    if (const CLI::Option* const option = parser.app->get_option_no_throw(word)) {
      return option->get_items_expected_max() > 0;
    }
  }
  return false;
}

struct Split {
  std::vector<std::string> options;  ///< without the verb
  std::optional<std::string> first;  ///< first word that is neither an option nor its value
  std::vector<std::string> command;
  bool has_separator = false;
};

Split split_words(const std::vector<std::string>& words) {
  Split split;
  std::size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (split.first) {
      split.options.push_back(word);
    } else if (word.size() > 1 && word.front() == '-') {
      split.options.push_back(word);
      if (takes_value(word) && i + 1 < words.size() && words[i + 1] != "--") {
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

std::string verb_help(const VerbEntry& verb) {
  Parser parser = make_parser(verb);
  std::string text = "Usage: topolaunch " + std::string(verb.name) + " " + std::string(verb.usage) +
                     "\n" + parser.app->help();
  // CLI11 prints its own usage line, which knows nothing of "--".
  const auto begin = text.find("\nUsage: ", 1);
  if (begin != std::string::npos) {
    const auto end = text.find('\n', begin + 1);
    text.erase(begin, end - begin);
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

tl::unexpected<Error> unknown_option(const std::string& word, const VerbEntry& verb,
                                     const CLI::App& app) {
  const std::string name = word.substr(0, word.find('='));
  for (const PlannedName& planned : planned_options()) {
    if (planned.name == name) {
      return fail(Code::wrong_usage, name + " is not in this version of topolaunch yet",
                  std::string(planned.instead));
    }
  }
  std::vector<std::string> known;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  }
  const std::string near = nearest_name(name, known);
  std::string next = near.empty() ? "see: topolaunch " + std::string(verb.name) + " --help"
                                  : "did you mean " + near + "?";
  for (const VerbEntry& other : verbs()) {
    if (!near.empty() || other.name == verb.name) continue;
    if (make_parser(other).app->get_option_no_throw(name) != nullptr) {
      next = "it belongs to: topolaunch " + std::string(other.name);
      break;
    }
  }
  return fail(Code::wrong_usage, "unknown option " + name, next);
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
  if (is_command(word)) {
    const auto at = std::ranges::find(words, word);
    std::vector<std::string> better{"topolaunch"};
    better.insert(better.end(), words.begin(), at);
    better.emplace_back("--");
    better.insert(better.end(), at, words.end());
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

Status parse_options(const VerbEntry& verb, CLI::App& app, std::vector<std::string> options,
                     const Settings& settings) {
  app.allow_extras();
  try {
    std::ranges::reverse(options);  // CLI11 takes words from the back
    app.parse(std::move(options));
  } catch (const OptionProblem& problem) {
    return fail(problem.error);
  } catch (const CLI::ParseError& error) {
    // "--ranks: 1 required N missing"
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    return fail(Code::wrong_usage, message, "see: topolaunch " + std::string(verb.name) + " --help");
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-') return unknown_option(word, verb, app);
    return fail(Code::wrong_usage, "unexpected word '" + word + "'",
                verb.takes_command ? "the command goes behind --"
                                   : "see: topolaunch " + std::string(verb.name) + " --help");
  }
  return apply_settings(app, settings);
}

bool asks_for_help(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "-?";
  });
}

}  // namespace

Result<Request> parse_command_line(const std::vector<std::string>& words, const Settings& settings,
                                   const std::function<bool(const std::string&)>& is_command) {
  Split split = split_words(words);
  const VerbEntry* verb = &verbs().front();
  if (split.first) {
    verb = find_verb(*split.first);
    if (*split.first == "help") {
      if (split.options.empty()) return Request(HelpRequest{general_help()});
      verb = find_verb(split.options.front());
      if (verb == nullptr) return unknown_verb(split.options.front(), words, is_command);
      return Request(HelpRequest{verb_help(*verb)});
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
    return Request(HelpRequest{split.first ? verb_help(*verb) : general_help()});
  }
  Parser parser = make_parser(*verb);
  if (Status ok = parse_options(*verb, *parser.app, std::move(split.options), settings); !ok) {
    // A command without "--" is told apart from a word too many.
    if (verb->name == "run" && !split.has_separator && split.first) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == *split.first && i + 1 < words.size() && is_command(words[i + 1])) {
          return unknown_verb(words[i + 1], words, is_command);
        }
      }
    }
    return fail(std::move(ok).error());
  }
  if (split.has_separator && !verb->takes_command) {
    return fail(Code::wrong_usage, "'" + std::string(verb->name) + "' starts no command",
                "leave out -- and what follows");
  }
  if (auto* const run = std::get_if<RunOptions>(parser.request.get())) {
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
    bench->topobench = std::move(split.command);
  }
  return std::move(*parser.request);
}

}  // namespace topolaunch::launcher
