// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/keeper_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "launcher/json_fields.h"
#include "launcher/supervise/channel.h"
#include "launcher/supervise/job_cgroup.h"
#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {
namespace {

/// How long an engine has to clear up after itself (session folders, shared memory) when topolaunch
/// was killed, before everything is.
constexpr int kFarewellMilliseconds = 500;

class KeeperLoop {
 public:
  KeeperLoop(Channel channel, const Environment& environment)
      : channel_(std::move(channel)), environment_(environment) {}

  int run(int child_signals) {
    auto hello = channel_.await(-1);
    if (!hello) return 1;
    JsonFields in(*hello, "hello", "");
    group_ = JobCgroup::make(in.text_or("cgroup", {}));
    while (!finished_) {
      std::vector<Json> messages;
      const bool alive = channel_.receive(messages);
      for (const Json& message : messages) obey(message);
      if (!alive && !finished_) {
        farewell();
        break;
      }
      signalfd_siginfo drain;
      while (::read(child_signals, &drain, sizeof drain) > 0) {
      }
      reap();
      if (killing_ && !alone_) kill_round();
      if (finished_) break;
      std::array<pollfd, 2> watch{{{channel_.fd(), POLLIN, 0}, {child_signals, POLLIN, 0}}};
      // A process that is being killed may fork on: look again until nothing is left.
      ::poll(watch.data(), watch.size(), killing_ ? 10 : -1);
    }
    group_.remove();
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
    return 0;
  }

 private:
  void obey(const Json& message) {
    JsonFields in(message, "order", "");
    if (in.has("launch")) {
      auto descriptors = channel_.take_descriptors();
      const Json* const list = in.array("launch");
      scratch_ = in.text_or("scratch", {});
      if (!scratch_.empty()) ::mkdir(scratch_.c_str(), 0700);
      std::size_t next = 0;
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        JsonFields process((*list)[i], "launch", "");
        Descriptor out, err;
        const bool has_out = process.flag_or("out", false), has_err = process.flag_or("err", false);
        if (has_out && next < descriptors.size()) out = std::move(descriptors[next++]);
        if (has_err && next < descriptors.size()) err = std::move(descriptors[next++]);
        start(static_cast<int>(i), process, out, err);
      }
    }
    if (in.has("sweep")) signal_kin(kin_below(::getpid()), in.integer_or("sweep", 1, 64, SIGTERM));
    if (in.has("kill")) {
      killing_ = true;
      kill_round();
    }
    if (in.has("finish")) finished_ = true;
  }

  void start(int index, JsonFields& process, const Descriptor& out, const Descriptor& err) {
    const std::vector<std::string> argv = process.texts("argv");
    if (argv.empty()) return;
    Environment variables = environment_;
    for (const auto& [name, value] : process.text_map_or_empty("environment")) {
      variables.set(name, value);
    }
    const std::string path = argv[0].empty() ? "/proc/self/exe" : argv[0];
    const std::vector<std::string> entries = variables.entries();
    std::vector<char*> words, environment;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    if (argv[0].empty()) words[0] = const_cast<char*>("topolaunch");
    for (const std::string& entry : entries) {
      environment.push_back(const_cast<char*>(entry.c_str()));
    }
    words.push_back(nullptr);
    environment.push_back(nullptr);
    const bool dies = process.flag_or("dies_with_keeper", false);

    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return say_failed(index, errno);
    const pid_t parent = ::getpid();
    const pid_t child = group_.fork();
    if (child == 0) {
      if (dies) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (::getppid() != parent) ::_exit(1);
      }
      ::setpgid(0, 0);
      const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (argv[0].empty() == false && nothing >= 0) ::dup2(nothing, STDIN_FILENO);
      if (out) ::dup2(out.get(), STDOUT_FILENO);
      if (err) ::dup2(err.get(), STDERR_FILENO);
      // The shim puts signals as topolaunch had them; an engine gets an open mask.
      sigset_t none;
      ::sigemptyset(&none);
      ::sigprocmask(SIG_SETMASK, &none, nullptr);
      ::execve(path.c_str(), words.data(), environment.data());
      const int number = errno;
      static_cast<void>(!::write(ends[1], &number, sizeof number));
      ::_exit(127);
    }
    const int fork_error = errno;
    ::close(ends[1]);
    int number = 0;
    const bool failed = child < 0 || ::read(ends[0], &number, sizeof number) == sizeof number;
    ::close(ends[0]);
    if (child < 0) return say_failed(index, fork_error);
    if (failed) {
      ::waitpid(child, nullptr, 0);
      return say_failed(index, number);
    }
    alone_ = false;
    index_of_[child] = index;
    channel_.send(Json{{"what", "started"}, {"process", index}, {"pid", child}});
  }

  void say_failed(int index, int number) {
    channel_.send(Json{{"what", "failed"}, {"process", index}, {"value", number}});
  }

  void reap() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == ECHILD && !alone_) {
        alone_ = true;
        killing_ = false;
        channel_.send(Json{{"what", "alone"}});
      }
      if (pid <= 0) return;
      const auto it = index_of_.find(pid);
      if (it == index_of_.end()) continue;
      channel_.send(Json{{"what", "ended"}, {"process", it->second}, {"value", status}});
      index_of_.erase(it);
    }
  }

  void kill_round() {
    group_.kill();
    signal_kin(kin_below(::getpid()), SIGKILL);
  }

  /// topolaunch is gone: nobody reads the output, nobody counts the time. Engines may clear up for
  /// a moment, then everything ends.
  void farewell() {
    const bool engine_below = !index_of_.empty();
    for (const auto& [pid, index] : index_of_) ::kill(pid, SIGTERM);
    for (int spent = 0; engine_below && spent < kFarewellMilliseconds; spent += 10) {
      ::poll(nullptr, 0, 10);
      reap_silently();
      if (alone_ || index_of_.empty()) break;
    }
    // 30 s: a process in an uninterruptible wait (a hung file server) can't be ended by anybody.
    for (int round = 0; !alone_ && round < 3000; ++round) {
      kill_round();
      ::poll(nullptr, 0, 10);
      reap_silently();
    }
  }

  void reap_silently() {
    while (true) {
      const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
      if (pid < 0 && errno == ECHILD) alone_ = true;
      if (pid <= 0) return;
      index_of_.erase(pid);
    }
  }

  Channel channel_;
  const Environment& environment_;
  JobCgroup group_;
  std::string scratch_;
  std::map<pid_t, int> index_of_;
  bool finished_ = false, killing_ = false, alone_ = true;
};

}  // namespace

int keep(Descriptor channel, const Environment& environment) {
  // Blocked, not ignored: ignored dispositions would go on to the job.
  sigset_t all, children;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  const Descriptor signals(::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals) return 1;
  ::prctl(PR_SET_NAME, kKeeperName, 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  // From here on the end of the channel says that topolaunch is gone, also if it went just now.
  ::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
  return KeeperLoop(Channel(std::move(channel)), environment).run(signals.get());
}

}  // namespace topolaunch::launcher
