// SPDX-License-Identifier: Apache-2.0
//
// Kinds of options on top of CLI11, and the parsing of words by an app of such options: what all
// verbs have in common. An option given twice takes the last value, as wrappers expect.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace topolaunch::launcher {

/// Names that the product's contract has and this version does not: refused with one clear sentence.
struct PlannedName {
  std::string_view name;
  std::string_view instead;  ///< what to do until then
};
const std::vector<PlannedName>& planned_options();

/// Thrown by an option's own check, carries the error out of CLI11's parser.
struct OptionProblem {
  Error error;
};

/// One value, as text.
CLI::Option* text(CLI::App& app, const char* names, std::string& into, const char* meaning,
                  const char* type, const char* group);
/// May be given several times, one value each time.
CLI::Option* list(CLI::App& app, const char* names, std::vector<std::string>& into,
                  const char* meaning, const char* type, const char* group);
/// Hosts by name or in Slurm's list grammar (topo/host_list.h); several times as well.
CLI::Option* host_list(CLI::App& app, const char* names, std::vector<std::string>& into,
                       const char* meaning, const char* type, const char* group);
/// A switch.
CLI::Option* flag(CLI::App& app, const char* names, bool& into, const char* meaning,
                  const char* group);
/// One value that goes through a parser of ours.
CLI::Option* parsed(CLI::App& app, const char* names,
                    std::function<Status(const std::string&)> parse, const char* meaning,
                    const char* type, const char* group);
/// One of a few words.
CLI::Option* choice(CLI::App& app, const char* names, std::string& into,
                    std::vector<std::string> allowed, const char* meaning, const char* type,
                    const char* group);
/// A time longer than nothing.
CLI::Option* duration(CLI::App& app, const char* names, std::optional<Seconds>& into,
                      const char* meaning, const char* group);

Result<std::int64_t> whole_number(const std::string& value, std::int64_t least, std::int64_t most);

/// Lets `app` read `words`. wrong_usage names the unknown option and the nearest one of the app;
/// `verb` is what the user typed, for "see: topolaunch VERB --help".
Status parse_words(CLI::App& app, std::vector<std::string> words, const std::string& verb);

/// The app's help with `usage` in place of CLI11's usage line, which knows nothing of "--".
std::string help_of(const CLI::App& app, const std::string& usage);

/// -h or --help among the words.
bool asks_for_help(const std::vector<std::string>& words);

}  // namespace topolaunch::launcher
