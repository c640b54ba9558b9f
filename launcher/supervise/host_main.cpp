// SPDX-License-Identifier: Apache-2.0
//
// Entry of the host keeper, which the agent (ssh) starts on another host in front of orted:
// reads what it is told, connects to topolaunch, leaves a guard behind, and keeps.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/capabilities.h"
#include "base/own_host.h"
#include "launcher/engine.h"
#include "launcher/supervise/free_port.h"
#include "launcher/supervise/host_id.h"
#include "launcher/supervise/host_keeper.h"
#include "launcher/supervise/host_links.h"
#include "launcher/supervise/job_cgroup.h"
#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {
namespace {

constexpr std::size_t kMaxHello = std::size_t{64} << 10;
constexpr int kHelloMilliseconds = 30'000;

/// The first line of standard input.
Result<std::string> first_line() {
  std::string line;
  char c = 0;
  while (line.size() < kMaxHello) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, kHelloMilliseconds) == 0) break;
    const ssize_t n = ::read(STDIN_FILENO, &c, 1);  // no byte more than is ours
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    if (c == '\n') return line;
    line += c;
  }
  return fail(Code::unavailable, "nothing came on standard input from topolaunch",
              "the agent that starts it has to hand standard input on: no ssh -n, no -f");
}

Result<HostHello> read_hello() {
  auto line = first_line();
  if (!line) return fail(std::move(line).error());
  auto json = parse_json(*line, "hello");
  if (!json) return fail(std::move(json).error());
  return host_hello_from_json(*json);
}

int give_up(const std::string& host, const Error& error) {
  const std::string line = "topolaunch: host " + host + ": " + error.text() + "\n";
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  return exit_status(error.code);
}

/// The process above the host keeper: when that is killed, all that was below it comes here, and is
/// ended.
int guard(pid_t keeper, JobCgroup group) {
  int status = 0;
  while (::waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  for (int round = 0; round < 3000; ++round) {
    group.kill();
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (pid < 0 && errno == ECHILD) break;
    signal_kin(kin_below(::getpid()), SIGKILL);
    ::poll(nullptr, 0, 10);
  }
  group.remove();
  return 128 + WTERMSIG(status);
}

}  // namespace

int host_main(const std::vector<std::string>& argv, const Outside& outside) {
  if (argv.empty()) {
    const Error error{Code::wrong_usage, "__host is started by topolaunch, not by hand", {}, {}, 0};
    return give_up("?", error);
  }
  auto hello = read_hello();
  if (!hello) return give_up(own_host_name(), hello.error());
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  const std::string cgroup = cgroup_of(*hello, outside.files);
  const pid_t child = ::fork();
  if (child > 0) return guard(child, JobCgroup::existing(cgroup));
  if (child < 0) return give_up(hello->host, {Code::try_again, "can't fork", {}, {}, 0});
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // not inherited

  HostGreeting self;
  if (is_reachable_as(hello->wanted_address)) self.address = hello->wanted_address;
  self.free_port = is_free_port(hello->wanted_port) ? hello->wanted_port : free_port().value_or(0);
  self.id = own_host_id(outside.files);
  self.version = build_version();
  auto launcher =
      greet_launcher(hello->addresses, hello->port, hello->host, hello->secret, self);
  if (!launcher) return give_up(hello->host, launcher.error());
  auto server = ControlServer::open();
  if (!server) return give_up(hello->host, server.error());
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  const Descriptor signals(::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC));
  return HostKeeper(std::move(*launcher), std::move(*hello), std::move(*server), outside)
      .run(argv, signals.get());
}

}  // namespace topolaunch::launcher
