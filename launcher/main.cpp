// SPDX-License-Identifier: Apache-2.0
//
// main: makes the outside world, reads the command line, runs the verb, prints, ends.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "launcher/cli.h"
#include "launcher/dispatch.h"
#include "launcher/engine.h"
#include "launcher/help.h"
#include "launcher/hosts/host_facts.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace {

using namespace topolaunch;
using namespace topolaunch::launcher;

void to_stderr(const std::string& text) {
  const std::string line = "topolaunch: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool stdout_was_closed = false;

bool to_stdout(const std::string& text) {
  if (stdout_was_closed) return text.empty();
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  return written == text.size() && std::fflush(stdout) == 0;
}

int end_with(const Error& error) {
  to_stderr(error.text());
  return exit_status(error.code);
}

/// A program may be started with stdin, stdout or stderr closed. Then our own descriptors would take
/// their numbers, and be mistaken for them later.
void fill_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (fd == STDOUT_FILENO) stdout_was_closed = true;
    ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

int topolaunch_main(const std::vector<std::string>& words) {
  const Environment environment = Environment::from(environ);
  const RootedFiles files("/");
  const SystemCommands commands;
  const SystemClock clock;
  const Outside outside{files, commands, clock, environment};
  if (!words.empty() && is_inner_program(words.front())) {
    return inner_program_main(words.front(), {words.begin() + 1, words.end()}, outside);
  }
  if (words.size() == 1 && words.front() == kFactsWord) return facts_main(outside);
  if (stdout_was_closed) to_stderr("standard output is closed: what is written to it is lost");
  auto answer = answer_to(words, outside, to_stderr);
  if (!answer) return end_with(answer.error());
  if (!answer->out.empty() && !to_stdout(answer->out)) {
    return end_with(Error{Code::unavailable, "standard output can't be written", {}, {}, 0});
  }
  return answer->status;
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (words.size() == 1 && (words.front() == "--version" || words.front() == "version")) {
    return to_stdout(version_text()) ? 0 : exit_status(Code::unavailable);
  }
  try {
    return topolaunch_main(words);
  } catch (const std::exception& error) {
    return end_with(Error{Code::internal, std::string("a bug in topolaunch: ") + error.what(),
                          "please report it with the command line", {}, 0});
  }
}
