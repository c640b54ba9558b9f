// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/become.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace topolaunch::launcher {
namespace {

void restore_signals(const std::vector<int>& ignored) {
  for (int number = 1; number < NSIG; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    struct sigaction action {};
    action.sa_handler = std::ranges::find(ignored, number) != ignored.end() ? SIG_IGN : SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

CpuSet open_descriptors() {
  CpuSet open;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return open;
  while (const dirent* const entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && fd != ::dirfd(folder)) open.add(fd);
  }
  ::closedir(folder);
  return open;
}

Error become(const Order& order, const Environment& variables, const CpuSet& keep_descriptors) {
  if (!order.working_directory.empty() && ::chdir(order.working_directory.c_str()) != 0) {
    return Error{
        Code::configuration,
        "can't enter the working folder '" + order.working_directory + "': " + std::strerror(errno),
        "start topolaunch in a folder that is there on every host",
        {},
        0};
  }
  for (const int fd : open_descriptors().to_vector()) {
    if (fd > 2 && !keep_descriptors.contains(fd)) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  restore_signals(order.ignored_signals);
  const std::vector<std::string> entries = variables.entries();
  ::execve(order.executable.c_str(), pointers(order.command).data(), pointers(entries).data());
  int number = errno;
  if (number == ENOEXEC) {
    std::vector<std::string> words{"/bin/sh", order.executable};
    words.insert(words.end(), order.command.begin() + 1, order.command.end());
    ::execve("/bin/sh", pointers(words).data(), pointers(entries).data());
  }
  const std::string& name = order.command.front();
  if (number == ENOENT && ::access(order.executable.c_str(), F_OK) == 0) {
    return Error{Code::not_found,
                 "the interpreter of '" + name + "' was not found",
                 "check its first line (#!) and its dynamic loader",
                 {},
                 0};
  }
  if (number == ENOENT || number == ENOTDIR) {
    return Error{Code::not_found, "command '" + name + "' was not found", "check the path", {}, 0};
  }
  std::string next = "chmod +x it, or start it through its interpreter";
  if (number == E2BIG) next = "shorten the arguments or the environment";
  return Error{Code::not_executable,
               "'" + name + "' can't be executed: " + std::strerror(number),
               std::move(next),
               {},
               0};
}

}  // namespace topolaunch::launcher
