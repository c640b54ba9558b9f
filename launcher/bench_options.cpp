// SPDX-License-Identifier: Apache-2.0
#include "launcher/bench_options.h"

#include <string_view>
#include <utility>

#include "base/commands.h"

namespace topolaunch::launcher {
namespace {

constexpr const char* kItsHelp = "topolaunch bench -- --help lists its options";

/// Its line without its name, and without the help that is another one behind `bench --`.
std::string own_words(const std::string& said) {
  constexpr std::string_view kName = "topobench: ", kItsNext = "; topobench --help";
  std::string words = said.substr(said.starts_with(kName) ? kName.size() : 0);
  words.erase(words.find_last_not_of('\n') + 1);
  if (words.ends_with(kItsNext)) words.erase(words.size() - kItsNext.size());
  return words;
}

/// What `argv` with the options behind it prints.
Result<std::string> ask(std::vector<std::string> argv, const std::vector<std::string>& options,
                        const Outside& outside) {
  argv.insert(argv.end(), options.begin(), options.end());
  auto said = outside.commands.run(argv, Seconds(30));
  if (!said) return fail(std::move(said).error());
  if (said->status == 0) return std::move(said->out);
  const bool usage = said->status == exit_status(Code::wrong_usage);
  return fail(usage ? Code::wrong_usage : Code::unavailable, own_words(said->err),
              usage ? kItsHelp : "topolaunch doctor");
}

}  // namespace

Result<std::string> checked_options(const std::vector<std::string>& options,
                                    const std::string& topobench, const Outside& outside) {
  if (options.empty()) return std::string();
  for (const std::string& word : options) {
    const bool ours =
        word.starts_with("-J") || word.starts_with("--json") || word.starts_with("--expect-ranks");
    if (ours) {
      return fail(Code::wrong_usage, word + " behind -- is set by topolaunch bench itself",
                  "for the measurement: topolaunch bench --json >FILE");
    }
  }
  return ask({topobench, "__parse"}, options, outside);
}

Status options_fit(const std::vector<std::string>& options, const Plan& plan,
                   const Outside& outside) {
  if (options.empty()) return {};
  std::vector<std::string> argv{"env"};
  for (const std::string& name : plan.unset) argv.insert(argv.end(), {"-u", name});
  for (const auto& [name, value] : plan.ranks.front().environment) {
    if (name.starts_with("TOPOLAUNCH_")) argv.push_back(name + "=" + value);
  }
  argv.insert(argv.end(),
              {plan.executable, "__parse", "--expect-ranks", std::to_string(plan.ranks.size())});
  auto said = ask(std::move(argv), options, outside);
  return said ? Status{} : Status(fail(std::move(said).error()));
}

}  // namespace topolaunch::launcher
