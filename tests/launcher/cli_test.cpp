// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli.h"

#include <gmock/gmock.h>

#include "launcher/help.h"

namespace topolaunch::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Request> parse(const std::vector<std::string>& words, const Settings& settings = {}) {
  return parse_command_line(words, settings,
                            [](const std::string& word) { return word == "python"; });
}

RunOptions run_of(const std::vector<std::string>& words, const Settings& settings = {}) {
  auto request = parse(words, settings);
  EXPECT_TRUE(request) << (request ? "" : request.error().text());
  if (!request || !std::holds_alternative<RunOptions>(*request)) return {};
  return std::get<RunOptions>(*request);
}

Error error_of(const std::vector<std::string>& words, const Settings& settings = {}) {
  auto request = parse(words, settings);
  EXPECT_FALSE(request);
  return request ? Error{} : request.error();
}

Settings setting(const std::string& key, const std::string& value, bool locked = false) {
  Settings settings;
  settings.effective.push_back({key, {value}, "/etc/topolaunch/config.toml:3", locked});
  return settings;
}

TEST(CommandLine, BehindTheDashesIsTheCommandUntouched) {
  EXPECT_THAT(run_of({"-n", "2", "--", "python", "--", "-n", "9", ""}).command,
              ElementsAre("python", "--", "-n", "9", ""));
}

TEST(CommandLine, RunMayBeLeftOutAndOptionsStandOnBothSides) {
  EXPECT_EQ(run_of({"-n", "2", "run", "--grace", "3s", "--", "x"}).job.ranks, 2);
  EXPECT_EQ(run_of({"run", "-n2", "--", "x"}).job.ranks, 2);
  EXPECT_EQ(run_of({"--ranks=3", "--", "x"}).job.ranks, 3);
  const auto topo = parse({"--topology", "run", "topo", "--json"});
  ASSERT_TRUE(topo) << topo.error().text();
  EXPECT_THAT(std::get<TopoOptions>(*topo).topology.topologies, ElementsAre("run"));
  EXPECT_EQ(std::get<TopoOptions>(*topo).format, "json");
}

TEST(CommandLine, AnEmptyValueIsNoValue) {
  for (const char* const option : {"--quota-token", "--log-dir", "--summary", "--topology",
                                   "--parallel", "--traffic", "--exclude", "--ledger"}) {
    const Error error = error_of({option, "", "--", "x"});
    EXPECT_EQ(error.code, Code::wrong_usage) << option;
    EXPECT_THAT(error.message, HasSubstr(option));
  }
  EXPECT_EQ(run_of({"--", "x"}, setting("log_dir", "")).log_directory, "")
      << "a file may take back what another one gives";
}

TEST(CommandLine, ValuesMayBeginWithADash) {
  EXPECT_THAT(run_of({"--engine-args", "--mca btl 'self,tcp x'", "--", "x"}).topology.engine_args,
              ElementsAre("--mca", "btl", "self,tcp x"));
}

TEST(CommandLine, TheLastOneCountsAndListsAdd) {
  const auto o = run_of({"-n", "2", "-n", "4", "--exclude", "a", "--exclude", "b", "--", "x"});
  EXPECT_EQ(o.job.ranks, 4);
  EXPECT_THAT(o.job.excluded, ElementsAre("a", "b"));
}

TEST(CommandLine, UnknownNamesGetTheNearestOne) {
  EXPECT_THAT(error_of({"--rank", "2", "--", "x"}).text(), HasSubstr("did you mean --ranks?"));
  EXPECT_THAT(error_of({"tpoo"}).text(), HasSubstr("did you mean 'topo'?"));
  EXPECT_THAT(error_of({"--engine", "mpi", "--", "x"}).text(), HasSubstr("not one of"));
  EXPECT_EQ(error_of({"--frobnicate", "--", "x"}).code, Code::wrong_usage);
}

TEST(CommandLine, ACommandWithoutDashesIsToldApart) {
  EXPECT_THAT(error_of({"-n", "2", "python", "a b.py"}).text(),
              HasSubstr("topolaunch -n 2 -- python 'a b.py'"));
  EXPECT_THAT(error_of({"run", "python", "a.py"}).text(), HasSubstr("put -- before it"));
}

TEST(CommandLine, NothingToRunIsWrongUsage) {
  EXPECT_EQ(error_of({}).code, Code::wrong_usage);
  EXPECT_EQ(error_of({"--"}).code, Code::wrong_usage);
  EXPECT_EQ(error_of({"--", ""}).code, Code::wrong_usage);
  EXPECT_EQ(error_of({"-n", "2"}).code, Code::wrong_usage);
}

TEST(CommandLine, BadValuesNameTheOption) {
  for (const std::string value : {"0", "-1", "two", "1e3", "99999999999", ""}) {
    EXPECT_THAT(error_of({"-n", value, "--", "x"}).text(), HasSubstr("--ranks")) << value;
  }
  EXPECT_THAT(error_of({"--time-limit", "soon", "--", "x"}).text(), HasSubstr("--time-limit"));
}

TEST(CommandLine, AMissingValueIsNotTheSeparator) {
  EXPECT_EQ(error_of({"-n", "--", "x"}).code, Code::wrong_usage);
}

TEST(CommandLine, WhatIsPlannedIsRefusedInOneSentence) {
  EXPECT_THAT(error_of({"top"}).text(), HasSubstr("not in this version"));
  EXPECT_THAT(error_of({"--max-restarts", "1", "--", "x"}).text(),
              HasSubstr("not in this version"));
  EXPECT_EQ(general_help().find("--max-restarts"), std::string::npos);
}

TEST(CommandLine, SettingsCountWhereNoFlagIs) {
  EXPECT_EQ(run_of({"--", "x"}, setting("engine", "mpirun")).engine, "mpirun");
  EXPECT_EQ(run_of({"--engine", "local", "--", "x"}, setting("engine", "mpirun")).engine, "local");
  EXPECT_TRUE(run_of({"--", "x"}, setting("strict", "true")).strict);
  EXPECT_EQ(run_of({"--", "x"}, setting("quota_token", "/t")).quota.token_file, "/t");
}

TEST(CommandLine, NoFlagUnlocks) {
  const Settings locked = setting("quota", "require", true);
  EXPECT_EQ(run_of({"--", "x"}, locked).quota.rule, "require");
  const Error error = error_of({"--quota", "off", "--", "x"}, locked);
  EXPECT_EQ(error.code, Code::configuration);
  EXPECT_THAT(error.text(), HasSubstr("/etc/topolaunch/config.toml:3"));
  EXPECT_EQ(run_of({"--quota", "require", "--", "x"}, locked).quota.rule, "require");
}

TEST(CommandLine, AWrongSettingNamesItsFile) {
  const Error error = error_of({"--", "x"}, setting("grace", "soon"));
  EXPECT_EQ(error.code, Code::configuration);
  EXPECT_THAT(error.text(), HasSubstr("config.toml:3"));
}

TEST(CommandLine, VerbsThatStartNothingTakeNoCommand) {
  EXPECT_EQ(error_of({"topo", "--", "x"}).code, Code::wrong_usage);
  const auto bench = parse({"bench", "-n", "2", "--", "-b", "8"});
  ASSERT_TRUE(bench) << bench.error().text();
  EXPECT_THAT(std::get<BenchOptions>(*bench).topobench, ElementsAre("-b", "8"));
}

TEST(CommandLine, QuotaWordsAreHandedOn) {
  const auto request = parse({"quota", "issue", "--gpus", "8", "--team", "run"});
  ASSERT_TRUE(request);
  const auto& quota = std::get<QuotaVerbOptions>(*request);
  EXPECT_EQ(quota.subverb, "issue");
  EXPECT_THAT(quota.words, ElementsAre("--gpus", "8", "--team", "run"));
}

TEST(Help, FitsOneScreenOfEightyByTwentyFour) {
  const std::string help = general_help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 24);
  std::size_t begin = 0;
  while (begin < help.size()) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Help, OfEveryVerbFitsEightyColumns) {
  for (const std::string verb : {"run", "topo", "lint", "map", "bench", "validate", "ps", "report",
                                 "doctor"}) {
    const auto request = parse({verb, "--help"});
    ASSERT_TRUE(request) << verb;
    const std::string& help = std::get<HelpRequest>(*request).text;
    EXPECT_THAT(help, HasSubstr("Usage: topolaunch " + verb));
    std::size_t begin = 0;
    while (begin < help.size()) {
      const std::size_t end = std::min(help.find('\n', begin), help.size());
      EXPECT_LE(end - begin, 80U) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(CommandLine, ContradictionsAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"-q", "-v", "--", "x"}, "excludes"},
      {{"bench", "--verbose", "--quiet"}, "excludes"},
      {{"topo", "--json", "--format", "svg"}, "--json excludes --format svg"},
      {{"map", "--format", "slurm", "--json"}, "--json excludes --format slurm"},
      {{"report", "--json", "--format", "html"}, "excludes"},
      {{"report", "-o", "f.html", "--format", "html"}, "excludes"},
      {{"validate", "--measured", "f", "--observation", "g"}, "excludes"}};
  for (const auto& [words, part] : cases) {
    const Error error = error_of(words);
    EXPECT_EQ(error.code, Code::wrong_usage) << part;
    EXPECT_THAT(error.message, HasSubstr(part));
    EXPECT_THAT(error.next, HasSubstr("leave out one of them"));
  }
  EXPECT_TRUE(parse({"topo", "--json", "--format", "json"})) << "said twice";
}

TEST(CommandLine, AFlagBeatsTheContraryOfASetting) {
  const RunOptions run = run_of({"--verbose", "--", "x"}, setting("quiet", "true"));
  EXPECT_TRUE(run.verbose);
  EXPECT_FALSE(run.quiet);
}

}  // namespace
}  // namespace topolaunch::launcher
