// SPDX-License-Identifier: Apache-2.0
#include "launcher/engine/mpirun_version.h"

#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "launcher/state_directory.h"

namespace topolaunch::launcher {
namespace {

/// What must be the same for a kept answer to stand: the program's file, and the variables by which
/// it finds the libraries that know the version.
std::string fingerprint(const std::string& program, const Environment& environment) {
  struct stat file {};
  if (::stat(program.c_str(), &file) != 0) return {};
  std::string out = program;
  for (const auto number : {static_cast<long long>(file.st_dev),
                            static_cast<long long>(file.st_ino),
                            static_cast<long long>(file.st_size),
                            static_cast<long long>(file.st_mtim.tv_sec),
                            static_cast<long long>(file.st_mtim.tv_nsec)}) {
    out += " " + std::to_string(number);
  }
  for (const char* const name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "OPAL_PREFIX"}) {
    out += std::string(" ") + name + "=" + environment.get_or(name, "");
  }
  return out;
}

/// A script may start another mpirun tomorrow: only a program's own answer is kept.
bool is_program(const std::string& path, const Files& files) {
  const auto whole = files.read(path);
  return whole && whole->starts_with(std::string_view("\x7f" "ELF"));
}

std::string cache_file(const Environment& environment) {
  const auto state = state_directory(environment);
  return state ? *state + "/cache/mpirun.json" : std::string();
}

/// What was kept under this fingerprint; empty if nothing.
std::string kept_answer(const std::string& cache, const std::string& print, const Files& files) {
  if (cache.empty() || print.empty()) return {};
  const auto text = files.read(cache, 65536);
  if (!text) return {};
  const auto json = parse_json(*text, cache);
  if (!json || !json->is_object()) return {};
  const auto text_of = [&](const char* name) {
    const auto it = json->find(name);
    return it != json->end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  return text_of("file") == print ? text_of("says") : std::string();
}

void keep_answer(const std::string& cache, const std::string& print, const std::string& says) {
  if (cache.empty() || print.empty()) return;
  if (!make_folders(cache.substr(0, cache.rfind('/')), 0700)) return;
  const Status ignored =
      write_file(cache, to_line(Json{{"file", print}, {"says", says}}) + "\n", 0600, false);
  static_cast<void>(ignored);
}

}  // namespace

std::optional<MpirunVersion> mpirun_version_from(const std::string& output) {
  constexpr std::string_view words = "(Open MPI) ";
  const auto at = output.find(words);
  if (at == std::string::npos) return std::nullopt;
  MpirunVersion version;
  version.text = output.substr(at + words.size(), output.find('\n', at) - at - words.size());
  version.major = std::atoi(version.text.c_str());
  if (const auto dot = version.text.find('.'); dot != std::string::npos) {
    version.minor = std::atoi(version.text.c_str() + dot + 1);
  }
  return version;
}

Result<MpirunVersion> find_mpirun(const Outside& outside) {
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  const std::string cache = cache_file(outside.environment);
  std::string other;
  // Debian's MPICH and Open MPI share the name mpirun; mpirun.openmpi is always Open MPI's.
  for (const char* const name : {"mpirun", "mpirun.openmpi"}) {
    const auto program = find_executable(name, path);
    if (!program) continue;
    const std::string print = fingerprint(*program, outside.environment);
    std::string says = kept_answer(cache, print, outside.files);
    const bool kept = !says.empty();
    if (!kept) {
      auto said = outside.commands.run({*program, "--version"}, Seconds(10));
      if (!said) return fail(std::move(said).error());
      says = said->out + said->err;
    }
    if (auto version = mpirun_version_from(says)) {
      version->program = *program;
      if (!kept && is_program(*program, outside.files)) {
        keep_answer(cache, print, says.substr(0, says.find('\n') + 1));
      }
      return *std::move(version);
    }
    other = *program;
  }
  if (!other.empty()) {
    return fail(Code::unavailable, other + " isn't Open MPI's mpirun",
                "install openmpi-bin, or put Open MPI's mpirun first in PATH");
  }
  return fail(Code::unavailable, "no mpirun in PATH", "apt-get install openmpi-bin");
}

}  // namespace topolaunch::launcher
