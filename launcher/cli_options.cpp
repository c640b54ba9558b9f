// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli_options.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/nearest_name.h"
#include "launcher/cli_habits.h"
#include "topo/host_list.h"

namespace topolaunch::launcher {
namespace {

tl::unexpected<Error> unknown_option(const std::string& word, const std::string& verb,
                                     const CLI::App& app) {
  const std::string name = word.substr(0, word.find('='));
  if (verb == "bench" && name.size() == 2) {  // -b, -e: nccl-tests' letters
    return fail(Code::wrong_usage, "bench has no option " + name,
                "topobench's go behind --: topolaunch bench -n 2 -- -b 8 -e 1G -f 2");
  }
  if (const std::string_view next = our_way(name, app); !next.empty()) {
    return fail(Code::wrong_usage, "unknown option " + name, std::string(next));
  }
  for (const PlannedName& planned : planned_options()) {
    if (planned.name == usual_spelling(name)) {
      return fail(Code::wrong_usage, name + " is not in this version of topolaunch yet",
                  std::string(planned.instead));
    }
  }
  std::vector<std::string> known;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  }
  const std::string near = nearest_name(name, known);
  return fail(Code::wrong_usage, "unknown option " + name,
              near.empty() ? "see: topolaunch " + verb + " --help" : "did you mean " + near + "?");
}

/// The first word that is an option of another launcher; CLI11 would read "-np 2" as -n with the
/// value "p". What follows an option of ours is its value, whatever it looks like.
std::optional<std::string> foreign_option(const std::vector<std::string>& words,
                                          const CLI::App& app) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (const CLI::Option* const own = app.get_option_no_throw(name)) {
      if (own->get_items_expected_max() > 0 && name == words[i]) ++i;
    } else if (!our_way(name, app).empty()) {
      return words[i];
    }
  }
  return std::nullopt;
}

/// An empty value is a variable of the user's that isn't set: --quota-token "$TOKEN". Taken for
/// "not given" it would start a job without a token, or write no log.
Status not_empty(const std::string& value) {
  if (!value.empty()) return {};
  return fail(Code::wrong_usage, "the value is empty", "give one, or leave the option out");
}

std::string long_name(const std::string& names) {
  return names.substr(std::min(names.find("--"), names.size()));
}

/// A name from a file may have any character; brackets and commas are the list's.
Result<std::vector<std::string>> hosts_of(const std::string& value) {
  if (Status ok = not_empty(value); !ok) return fail(std::move(ok).error());
  if (value.find_first_of("[,") == std::string::npos) return std::vector{value};
  return topo::expand_host_list(value);
}

}  // namespace

CLI::Option* text(CLI::App& app, const char* names, std::string& into, const char* meaning,
                  const char* type, const char* group) {
  return parsed(
      app, names,
      [&into](const std::string& value) -> Status {
        into = value;
        return not_empty(value);
      },
      meaning, type, group);
}

CLI::Option* list(CLI::App& app, const char* names, std::vector<std::string>& into,
                  const char* meaning, const char* type, const char* group) {
  return app.add_option(names, into, meaning)
      ->type_name(type)
      ->group(group)
      ->allow_extra_args(false)
      ->each([name = long_name(names)](const std::string& value) {
        if (Status ok = not_empty(value); !ok) {
          Error error = std::move(ok).error();
          error.message = name + ": " + error.message;
          throw OptionProblem{std::move(error)};
        }
      });
}

CLI::Option* host_list(CLI::App& app, const char* names, std::vector<std::string>& into,
                       const char* meaning, const char* type, const char* group) {
  return app
      .add_option_function<std::vector<std::string>>(
          names,
          [&into, name = long_name(names)](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              auto hosts = hosts_of(value);
              if (!hosts) throw OptionProblem{std::move(hosts).error().within(name)};
              into.insert(into.end(), hosts->begin(), hosts->end());
            }
          },
          meaning)
      ->type_name(type)
      ->group(group)
      ->allow_extra_args(false);
}

CLI::Option* flag(CLI::App& app, const char* names, bool& into, const char* meaning,
                  const char* group) {
  return app.add_flag(names, into, meaning)
      ->group(group)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* parsed(CLI::App& app, const char* names,
                    std::function<Status(const std::string&)> parse, const char* meaning,
                    const char* type, const char* group) {
  const std::string name = long_name(names);
  return app
      .add_option_function<std::string>(
          names,
          [parse = std::move(parse), name](const std::string& value) {
            if (Status ok = parse(value); !ok) {
              Error error = std::move(ok).error();
              error.message = name + ": " + error.message;
              throw OptionProblem{std::move(error)};
            }
          },
          meaning)
      ->type_name(type)
      ->group(group)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* choice(CLI::App& app, const char* names, std::string& into,
                    std::vector<std::string> allowed, const char* meaning, const char* type,
                    const char* group) {
  return parsed(
      app, names,
      [&into, allowed = std::move(allowed)](const std::string& value) -> Status {
        if (std::ranges::find(allowed, value) == allowed.end()) {
          std::string all;
          for (const std::string& one : allowed) all += (all.empty() ? "" : ", ") + one;
          const std::string near = nearest_name(value, allowed);
          return fail(Code::wrong_usage, "'" + value + "' is not one of " + all,
                      near.empty() ? "choose one of them" : "did you mean " + near + "?");
        }
        into = value;
        return {};
      },
      meaning, type, group);
}

CLI::Option* duration(CLI::App& app, const char* names, std::optional<Seconds>& into,
                      const char* meaning, const char* group) {
  return parsed(
      app, names,
      [&into](const std::string& value) -> Status {
        auto seconds = parse_duration(value);
        if (!seconds) return fail(std::move(seconds).error());
        if (seconds->count() <= 0) {
          return fail(Code::wrong_usage, "must be longer than nothing", "write it like 90s or 5m");
        }
        into = *seconds;
        return {};
      },
      meaning, "TIME", group);
}

Result<std::int64_t> whole_number(const std::string& value, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || number < least || number > most) {
    return fail(Code::wrong_usage, "'" + value + "' is not a whole number from " +
                                       std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

Status parse_words(CLI::App& app, std::vector<std::string> words, const std::string& verb) {
  if (const auto foreign = foreign_option(words, app)) return unknown_option(*foreign, verb, app);
  app.allow_extras();
  try {
    std::ranges::reverse(words);  // CLI11 takes words from the back
    app.parse(std::move(words));
  } catch (const OptionProblem& problem) {
    return fail(problem.error);
  } catch (const CLI::ExcludesError& error) {  // "--quiet excludes --verbose"
    return fail(Code::wrong_usage, error.what(), "leave out one of them");
  } catch (const CLI::ParseError& error) {
    // "--ranks: 1 required N missing"
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    return fail(Code::wrong_usage, message, "see: topolaunch " + verb + " --help");
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-') return unknown_option(word, verb, app);
    return fail(Code::wrong_usage, "unexpected word '" + word + "'",
                "see: topolaunch " + verb + " --help");
  }
  return {};
}

std::string help_of(const CLI::App& app, const std::string& usage) {
  std::string text = "Usage: topolaunch " + usage + "\n" + app.help();
  const auto begin = text.find("\nUsage: ", 1);
  if (begin != std::string::npos) {
    const auto end = text.find('\n', begin + 1);
    text.erase(begin, end - begin);
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::ranges::any_of(
      words, [](const std::string& word) { return word == "--help" || word == "-h"; });
}

const std::vector<PlannedName>& planned_options() {
  static const std::vector<PlannedName> names{
      {"--max-restarts", "restart from the job's checkpoint by hand"},
      {"--wait", "try again later"},
      {"--after", "chain the commands in a shell with &&"},
      {"--requeue", "leave it to the scheduler"},
      {"--color", "output has no colours"},
  };
  return names;
}

}  // namespace topolaunch::launcher
