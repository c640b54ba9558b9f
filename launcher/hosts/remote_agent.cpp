// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/remote_agent.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/commands.h"

namespace topolaunch::launcher {
namespace {

/// Open MPI 5.0's name first, then those of 4.1 (orte/mca/plm/rsh/plm_rsh_component.c).
constexpr std::array<std::string_view, 3> kNames{"plm_ssh_agent", "plm_rsh_agent",
                                                 "orte_rsh_agent"};

struct Named {
  std::string agent, origin;
};

std::optional<Named> from_arguments(const std::vector<std::string>& words) {
  std::optional<Named> found;
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    std::string_view option = words[i];
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    if (option != "mca" && option != "gmca" && option != "prtemca") continue;
    if (std::ranges::find(kNames, words[i + 1]) == kNames.end()) continue;
    found = Named{words[i + 2], "--engine-args"};
  }
  return found;
}

std::optional<Named> from_environment(const Environment& environment) {
  for (const std::string_view name : kNames) {
    for (const char* const prefix : {"PRTE_MCA_", "OMPI_MCA_"}) {
      const std::string variable = prefix + std::string(name);
      if (const auto value = environment.get(variable); value && !value->empty()) {
        return Named{*value, variable};
      }
    }
  }
  return std::nullopt;
}

std::optional<Named> from_file(const std::string& path, const Files& files) {
  const auto text = files.read(path, std::size_t{1} << 20);
  if (!text) return std::nullopt;
  std::optional<Named> found;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find('#'));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto trimmed = [](std::string_view part) {
      const auto first = part.find_first_not_of(" \t\r\"");
      if (first == std::string_view::npos) return std::string_view();
      return part.substr(first, part.find_last_not_of(" \t\r\"") + 1 - first);
    };
    if (std::ranges::find(kNames, trimmed(line.substr(0, equals))) == kNames.end()) continue;
    found = Named{std::string(trimmed(line.substr(equals + 1))), path};
  }
  return found;
}

/// "ssh -x : rsh": candidates, the first that is there is taken.
std::vector<std::vector<std::string>> candidates(const std::string& agent) {
  std::vector<std::vector<std::string>> out(1);
  std::string word;
  for (const char c : agent + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (word == ":") {
      out.emplace_back();
      word.clear();
    } else if (!word.empty()) {
      out.back().push_back(std::exchange(word, {}));
    }
  }
  std::erase_if(out, [](const auto& words) { return words.empty(); });
  return out;
}

}  // namespace

Result<std::vector<std::string>> remote_agent(const std::vector<std::string>& engine_args,
                                              const Outside& outside) {
  auto named = from_arguments(engine_args);
  if (!named) named = from_environment(outside.environment);
  if (!named) {
    const std::string home = outside.environment.get_or("HOME", "");
    if (!home.empty()) named = from_file(home + "/.openmpi/mca-params.conf", outside.files);
  }
  if (!named) named = from_file("/etc/openmpi/openmpi-mca-params.conf", outside.files);
  const std::string agent = named ? named->agent : "ssh : rsh";
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  for (std::vector<std::string>& words : candidates(agent)) {
    auto program = find_executable(words.front(), path);
    if (!program) continue;
    words.front() = *program;
    if (program->substr(program->rfind('/') + 1) == "ssh") {
      for (const char* const word : {"-o", "BatchMode=yes", "-o", "ConnectTimeout=10"}) {
        words.emplace_back(word);
      }
    }
    return words;
  }
  return fail(Code::unavailable,
              "no agent to start on other hosts: " +
                  (named ? "'" + named->agent + "' (" + named->origin + ") is not there"
                         : std::string("neither ssh nor rsh is in PATH")),
              "apt-get install openssh-client, or name one: --engine-args \"--mca plm_rsh_agent "
              "AGENT\"");
}

}  // namespace topolaunch::launcher
