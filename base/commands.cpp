// SPDX-License-Identifier: Apache-2.0
#include "base/commands.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace topolaunch {
namespace {

bool is_runnable(const std::string& path, bool& exists) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  exists = true;
  return S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_executable(const std::string& name, const std::string& path_variable) {
  const auto missing = [&](bool exists) -> Result<std::string> {
    if (exists) {
      return fail(Code::not_executable, "'" + name + "' is there but can't be executed",
                  "chmod +x it, or start it through its interpreter");
    }
    return fail(Code::not_found, "command '" + name + "' was not found",
                name.find('/') == std::string::npos ? "check the spelling and PATH"
                                                    : "check the path");
  };
  bool exists = false;
  if (name.empty()) return fail(Code::wrong_usage, "the command is an empty word");
  if (name.find('/') != std::string::npos) {
    if (is_runnable(name, exists)) return name;
    return missing(exists);
  }
  std::size_t begin = 0;
  while (begin <= path_variable.size()) {
    const std::size_t end = std::min(path_variable.find(':', begin), path_variable.size());
    std::string folder = path_variable.substr(begin, end - begin);
    if (folder.empty()) folder = ".";
    bool here = false;
    if (is_runnable(folder + "/" + name, here)) return folder + "/" + name;
    exists = exists || here;
    begin = end + 1;
  }
  return missing(exists);
}

Result<CommandOutput> SystemCommands::run(const std::vector<std::string>& argv,
                                          Seconds deadline) const {
  const char* const path = std::getenv("PATH");
  auto executable =
      find_executable(argv.empty() ? "" : argv[0], path != nullptr ? path : "/usr/bin:/bin");
  if (!executable) return tl::unexpected(std::move(executable).error());

  std::array<std::array<int, 2>, 2> pipes{};
  if (::pipe2(pipes[0].data(), O_CLOEXEC) != 0) return fail(Code::internal, "no pipe");
  if (::pipe2(pipes[1].data(), O_CLOEXEC) != 0) {
    ::close(pipes[0][0]);
    ::close(pipes[0][1]);
    return fail(Code::internal, "no pipe");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipes[0][1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, executable->c_str(), &actions, &attributes, words.data(),
                                  environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(pipes[0][1]);
  ::close(pipes[1][1]);
  CommandOutput output;
  bool timed_out = false;
  if (error == 0) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(deadline);
    std::array<pollfd, 2> watch{{{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}}};
    std::array<std::string*, 2> text{&output.out, &output.err};
    while (watch[0].fd >= 0 || watch[1].fd >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (left.count() <= 0) {
        timed_out = true;
        break;
      }
      if (::poll(watch.data(), watch.size(), static_cast<int>(left.count()) + 1) <= 0) continue;
      for (std::size_t i = 0; i < watch.size(); ++i) {
        if (watch[i].fd < 0 || watch[i].revents == 0) continue;
        char buffer[65536];
        const ssize_t n = ::read(watch[i].fd, buffer, sizeof buffer);
        if (n > 0) text[i]->append(buffer, static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EINTR)) watch[i].fd = -1;
      }
    }
    if (timed_out) ::kill(-child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    output.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  ::close(pipes[0][0]);
  ::close(pipes[1][0]);
  if (error != 0) {
    return fail(Code::not_executable, "can't start '" + argv[0] + "': " + std::strerror(error));
  }
  if (timed_out) {
    return fail(Code::try_again, "'" + argv[0] + "' did not answer in " + to_text(deadline));
  }
  return output;
}

std::string shell_quoted(const std::vector<std::string>& argv) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      if (c == '\'') {
        line += "'\\''";
      } else {
        line += c;
      }
    }
    line += '\'';
  }
  return line;
}

Result<std::vector<std::string>> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, even if it's empty so far
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < line.size() &&
                 std::strchr("\"\\$`", line[i + 1]) != nullptr) {
        word += line[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return fail(Code::wrong_usage, "a quote is not closed in: " + line);
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace topolaunch
