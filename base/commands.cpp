// SPDX-License-Identifier: Apache-2.0
#include "base/commands.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/ends_with_us.h"

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
    return fail(
        Code::not_found, "command '" + name + "' was not found",
        name.find('/') == std::string::npos ? "check the spelling and PATH" : "check the path");
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

namespace {

constexpr std::size_t kLongestOutput = std::size_t{64}
                                       << 20;  ///< bytes, stdout and stderr together
constexpr Seconds kLongestDeadline{86400};

/// A descriptor that closes itself.
class Pipe {
 public:
  bool open() { return ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  int end(std::size_t which) const { return ends_[which]; }
  void close(std::size_t which) {
    if (ends_[which] >= 0) ::close(std::exchange(ends_[which], -1));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// Starts the program with stdin empty, its output into the pipes, a process group of its own and
/// the signals as a fresh program expects them. Returns errno.
int spawn(const std::string& executable, const std::vector<std::string>& argv, const Pipe& out,
          const Pipe& err, pid_t& child) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.end(1), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.end(1), 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int error =
      ::posix_spawn(&child, executable.c_str(), &actions, &attributes, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

Result<CommandOutput> SystemCommands::run(const std::vector<std::string>& argv,
                                          Seconds deadline) const {
  const char* const path = std::getenv("PATH");
  auto executable =
      find_executable(argv.empty() ? "" : argv[0], path != nullptr ? path : "/usr/bin:/bin");
  if (!executable) return tl::unexpected(std::move(executable).error());
  std::array<Pipe, 2> pipes;
  if (!pipes[0].open() || !pipes[1].open()) {
    return fail(Code::unavailable, std::string("no pipe: ") + std::strerror(errno));
  }
  pid_t child = 0;
  if (const int error = spawn(*executable, argv, pipes[0], pipes[1], child); error != 0) {
    return fail(Code::not_executable, "can't start '" + argv[0] + "': " + std::strerror(error));
  }
  const EndsWithUs tied(child);  // it leads its group
  pipes[0].close(1);
  pipes[1].close(1);

  using Steady = std::chrono::steady_clock;
  const auto end = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                       std::min(deadline, kLongestDeadline));
  // The program's own end counts, not the end of its output: a daemon that it leaves behind may
  // hold the pipes open, and it may close them itself and live on. So: short waits, both looked at.
  CommandOutput output;
  const std::array<std::string*, 2> text{&output.out, &output.err};
  std::array<pollfd, 2> watch{{{pipes[0].end(0), POLLIN, 0}, {pipes[1].end(0), POLLIN, 0}}};
  int status = 0;
  bool ended = false;
  bool timed_out = false;
  bool too_long = false;
  while (!too_long) {
    if (!ended) ended = ::waitpid(child, &status, WNOHANG) == child;
    const bool open = watch[0].fd >= 0 || watch[1].fd >= 0;
    if (ended && !open) break;
    timed_out = !ended && Steady::now() >= end;
    if (timed_out) break;
    const int ready = ::poll(watch.data(), watch.size(), ended ? 0 : (open ? 10 : 1));
    if (ready == 0 && ended) break;  // nothing left in the pipes
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < watch.size(); ++i) {
      if (watch[i].fd < 0 || watch[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t n = ::read(watch[i].fd, buffer, sizeof buffer);
      if (n > 0) text[i]->append(buffer, static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) watch[i].fd = -1;
    }
    too_long = output.out.size() + output.err.size() > kLongestOutput;
  }
  if (!ended) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);  // it may have left its group
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (timed_out) {
    return fail(Code::try_again, "'" + argv[0] + "' did not answer in " + to_text(deadline));
  }
  if (too_long) {
    return fail(Code::unavailable, "'" + argv[0] + "' printed more than " +
                                       to_text(Bytes(static_cast<std::int64_t>(kLongestOutput))) +
                                       " and was ended");
  }
  output.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

std::string shell_quoted(const std::vector<std::string>& argv) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : argv) {
    // A first word with '=' would be read as an assignment.
    const bool assignment = &word == &argv.front() && word.find('=') != std::string::npos;
    if (&word != &argv.front()) line += ' ';
    if (!word.empty() && !assignment && word.find_first_not_of(plain) == std::string::npos) {
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
      } else if (c == '\\' && quote == '"' && i + 1 < line.size() && line[i + 1] == '\n') {
        ++i;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      if (line[++i] == '\n') continue;  // a line that goes on
      word += line[i];
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
