// SPDX-License-Identifier: Apache-2.0
//
// Runs a command through an engine with nothing else of the path around it:
//
//   engine_driver ENGINE RANKS [--grace S] [--limit S] [--tag] [--log-dir D] [--summary FILE]
//                 [--cpus LIST] [--on HOST,HOST,...] [--engine-arg A]... -- COMMAND...
//
// --on names each rank's host; without it they are all on this one.
//
// Exit status: the ending's; an error before the start gives its code, and its text on stderr.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json.h"
#include "launcher/engine.h"
#include "launcher/join.h"
#include "launcher/shim/observe.h"

using namespace topolaunch;            // NOLINT: a test program
using namespace topolaunch::launcher;  // NOLINT

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace {

int say(const Error& error) {
  std::fprintf(stderr, "topolaunch: %s\n", error.text().c_str());
  return exit_status(error.code);
}

Json summary_of(const Ending& ending) {
  constexpr const char* names[] = {"job",    "time_limit",     "interrupt",
                                   "signal", "launch_failure", "engine", "host_lost"};
  Json json{{"ended_by", names[static_cast<int>(ending.by)]},
            {"exit_status", ending.exit_status},
            {"cause", ending.cause},
            {"elapsed", ending.elapsed.count()},
            {"notes", ending.notes}};
  if (ending.first_failure) {
    json["first_failure"] = {{"rank", ending.first_failure->rank},
                             {"exit_status", ending.first_failure->exit_status},
                             {"signal", ending.first_failure->signal},
                             {"out_of_memory", ending.first_failure->out_of_memory}};
  }
  for (const RankEnding& rank : ending.ranks) {
    json["ranks"].push_back({{"rank", rank.rank},
                             {"exit_status", rank.exit_status},
                             {"ended_by_us", rank.ended_by_us}});
  }
  for (const RankObservation& seen : ending.observations) {
    json["observations"].push_back(to_json(seen));
  }
  return json;
}

}  // namespace

int main(int argc, char** argv) {
  const RootedFiles files;
  const SystemCommands commands;
  const SystemClock clock;
  const Environment environment = Environment::from(environ);
  const Outside outside{files, commands, clock, environment};
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && is_inner_program(words[0])) {
    return inner_program_main(words[0], {words.begin() + 1, words.end()}, outside);
  }
  if (words.size() < 2) return 64;
  Plan plan;
  plan.id = "test-" + std::to_string(::getpid());
  plan.engine = words[0];
  plan.working_directory = std::filesystem::current_path();
  const int ranks = std::atoi(words[1].c_str());
  std::string summary, host(256, '\0');
  ::gethostname(host.data(), host.size() - 1);
  host.resize(std::strlen(host.c_str()));
  CpuSet cpus;
  std::vector<std::string> on;
  std::size_t i = 2;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const auto next = [&] { return ++i < words.size() ? words[i] : std::string(); };
    if (words[i] == "--tag") {
      plan.tag = Plan::Tag::rank;
    } else if (words[i] == "--grace") {
      plan.grace = Seconds(std::atof(next().c_str()));
    } else if (words[i] == "--limit") {
      plan.time_limit = Seconds(std::atof(next().c_str()));
    } else if (words[i] == "--log-dir") {
      plan.log_directory = next();
    } else if (words[i] == "--summary") {
      summary = next();
    } else if (words[i] == "--cpus") {
      cpus = CpuSet::from_list(next()).value_or(CpuSet{});
    } else if (words[i] == "--on") {
      std::istringstream list(next());
      for (std::string one; std::getline(list, one, ',');) on.push_back(one);
    } else if (words[i] == "--engine-arg") {
      plan.engine_args.push_back(next());
    } else {
      return 64;
    }
  }
  plan.command.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(i + 1, words.size())),
                      words.end());
  if (on.empty()) on.assign(static_cast<std::size_t>(ranks), host);
  if (on.size() != static_cast<std::size_t>(ranks)) return 64;
  if (plan.command.empty()) return 64;
  const auto executable =
      find_executable(plan.command[0], environment.get_or("PATH", "/usr/bin:/bin"));
  plan.executable = executable ? *executable : plan.command[0];
  for (int r = 0; r < ranks; ++r) {
    RankPlan rank;
    rank.rank = r;
    rank.host = on[static_cast<std::size_t>(r)];
    rank.local_rank = static_cast<int>(std::count(on.begin(), on.begin() + r, rank.host));
    const auto known = std::find(plan.hosts.begin(), plan.hosts.end(), rank.host);
    rank.group_rank = static_cast<int>(known - plan.hosts.begin());
    if (known == plan.hosts.end()) plan.hosts.push_back(rank.host);
    rank.cpus = cpus;
    rank.environment = {{"RANK", std::to_string(r)}, {"WORLD_SIZE", std::to_string(ranks)}};
    plan.ranks.push_back(std::move(rank));
  }
  if (plan.engine == "join") {
    return say(exec_joined(plan, outside, [](const RankObservation& seen) {
                 std::fprintf(stderr, "seen %s\n", to_line(to_json(seen)).c_str());
               }).error());
  }
  const auto engine = make_engine(plan.engine);
  if (!engine) return say(engine.error());
  auto run = (*engine)->start(plan, outside);
  if (!run) return say(run.error());
  const auto ending = (*run)->wait([](Seconds) { return std::string(); });
  if (!ending) return say(ending.error());
  if (!summary.empty()) std::ofstream(summary) << to_pretty(summary_of(*ending));
  if (!ending->cause.empty()) std::fprintf(stderr, "topolaunch: %s\n", ending->cause.c_str());
  for (const std::string& note : ending->notes)
    std::fprintf(stderr, "topolaunch: %s\n", note.c_str());
  return ending->exit_status;
}
