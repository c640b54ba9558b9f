// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/supervise/job_cgroup.h"
#include "launcher/supervise/keeper_loop.h"

namespace topolaunch::launcher {
namespace {

/// In the new keeper, what exec would do: closes what is close-on-exec, and keeps what topolaunch was
/// given for the job (a shell's <(...)). Device files are nobody's to inherit (NVML does not mark
/// all of its own): a process that holds one keeps the GPU busy.
void close_as_exec_would(int kept) {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return;
  std::vector<int> ours;
  while (const dirent* const entry = ::readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (fd <= STDERR_FILENO || fd == kept || fd == ::dirfd(folder)) continue;
    std::array<char, 16> target{};
    const ssize_t size =
        ::readlinkat(::dirfd(folder), entry->d_name, target.data(), target.size() - 1);
    const bool device = size > 0 && std::strncmp(target.data(), "/dev/nvidia", 11) == 0;
    if (device || (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0) ours.push_back(fd);
  }
  ::closedir(folder);
  for (const int fd : ours) ::close(fd);
}

void nap(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  ::nanosleep(&time, nullptr);
}

}  // namespace

Result<Keeper> Keeper::start(const std::string& id, const Outside& outside) {
  Keeper keeper;
  keeper.id_ = id;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Code::internal, std::string("no socket pair: ") + std::strerror(errno));
  }
  Descriptor ours(ends[0]), theirs(ends[1]);
  siginfo_t none{};
  if (::waitid(P_ALL, 0, &none, WEXITED | WNOHANG | WNOWAIT) == 0) {  // else ECHILD, as a rule
    for (const Kin& kin : kin_below(::getpid())) {
      if (kin.parent == ::getpid()) keeper.children_before_.push_back(kin.pid);
    }
  }
  int before = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &before, 0, 0, 0);
  keeper.was_subreaper_ = before != 0;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(Code::try_again, std::string("can't fork: ") + std::strerror(errno));
  if (child == 0) {
    // Until it is ready to watch the channel, the keeper goes when topolaunch goes.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::getppid() != parent) ::_exit(1);
    ::setpgid(0, 0);  // a signal to topolaunch's group doesn't end it
    close_as_exec_would(theirs.get());
    ::_exit(keep(std::move(theirs), outside.environment));
  }
  keeper.pid_ = child;
  keeper.channel_ = Channel(std::move(ours));
  // Known here before the keeper says so: it may be killed between making it and saying so.
  keeper.cgroup_ = job_cgroup_path(own_cgroup(outside.files), id);
  if (!keeper.channel_.send(Json{{"cgroup", keeper.cgroup_}})) {
    return fail(Code::internal, "the keeper process ended at once");
  }
  return keeper;
}

Keeper::Keeper(Keeper&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      channel_(std::move(other.channel_)),
      cgroup_(std::move(other.cgroup_)),
      id_(std::move(other.id_)),
      scratch_(std::move(other.scratch_)),
      children_before_(std::move(other.children_before_)),
      was_subreaper_(other.was_subreaper_) {}

Keeper::~Keeper() {
  if (pid_ <= 0) return;
  if (channel_.open()) {
    channel_.close();  // it ends everything by itself
    ::waitpid(pid_, nullptr, 0);
  } else {
    take_over(1);
  }
  if (!was_subreaper_) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

bool Keeper::launch(std::vector<KeptProcess> processes, const std::string& scratch) {
  scratch_ = scratch;
  std::vector<Descriptor> descriptors;
  Json list = Json::array();
  for (KeptProcess& process : processes) {
    Json environment = Json::object();
    for (const auto& [name, value] : process.environment) environment[name] = word_to_json(value);
    list.push_back(Json{{"argv", words_to_json(process.argv)},
                        {"environment", std::move(environment)},
                        {"out", static_cast<bool>(process.out)},
                        {"err", static_cast<bool>(process.err)},
                        {"dies_with_keeper", process.dies_with_keeper}});
    if (process.out) descriptors.push_back(std::move(process.out));
    if (process.err) descriptors.push_back(std::move(process.err));
  }
  return channel_.send(Json{{"launch", std::move(list)}, {"scratch", word_to_json(scratch)}},
                       std::move(descriptors));
}

std::vector<KeeperNews> Keeper::news() {
  std::vector<KeeperNews> out;
  if (!channel_.open()) return out;
  std::vector<Json> messages;
  const bool alive = channel_.receive(messages);
  for (const Json& message : messages) {
    JsonFields in(message, "keeper", "");
    using What = KeeperNews::What;
    KeeperNews news;
    news.process = in.integer_or("process", 0, 1 << 24, -1);
    news.pid = in.integer_or("pid", 0, INT32_MAX - 1, 0);
    news.value = in.integer_or("value", 0, INT32_MAX - 1, 0);
    const std::string what = in.text_or("what", {});
    if (what == "started") news.what = What::started;
    if (what == "failed") news.what = What::failed;
    if (what == "ended") news.what = What::ended;
    if (what == "alone") news.what = What::alone;
    out.push_back(news);
  }
  if (!alive) {
    channel_.close();
    out.push_back({});
  }
  return out;
}

void Keeper::sweep(int signal) { channel_.send(Json{{"sweep", signal}}); }

void Keeper::kill_all() {
  JobCgroup::existing(cgroup_).kill();
  channel_.send(Json{{"kill", true}});
}

std::vector<Kin> Keeper::orphans() const {
  // Without children from before, all that is below us now is the job's. With some, their orphans
  // come to us as well, and only what carries the job's mark is the job's.
  std::vector<Kin> all = kin_below(::getpid());
  if (children_before_.empty()) return all;
  std::vector<pid_t> mine;
  std::vector<Kin> out;
  for (const Kin& kin : all) {
    const auto has = [](const std::vector<pid_t>& list, pid_t pid) {
      return std::ranges::find(list, pid) != list.end();
    };
    if (has(children_before_, kin.pid)) continue;
    bool ours = has(mine, kin.parent);
    if (!ours && kin.parent == ::getpid()) {
      const auto text =
          RootedFiles().read("/proc/" + std::to_string(kin.pid) + "/environ", 1 << 22);
      ours = text && text->find("TOPOLAUNCH_RUN_ID=" + id_) != std::string::npos;
    }
    if (ours) {
      mine.push_back(kin.pid);
      out.push_back(kin);
    }
  }
  return out;
}

std::vector<std::string> Keeper::take_over(double seconds) {
  JobCgroup group = JobCgroup::existing(cgroup_);
  std::vector<Kin> left;
  for (double spent = 0; spent <= seconds; spent += 0.01) {
    group.kill();
    left = orphans();
    signal_kin(left, SIGKILL);
    // Only what came to us through the keeper is ours to reap.
    while (true) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) break;
      if (std::ranges::find(children_before_, info.si_pid) != children_before_.end()) break;
      ::waitpid(info.si_pid, nullptr, WNOHANG);
    }
    if (left.empty()) break;
    nap(10);
  }
  group.remove();
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
  pid_ = 0;
  if (!was_subreaper_) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  std::vector<std::string> names;
  for (const Kin& kin : left) names.push_back(kin.name + " (" + std::to_string(kin.pid) + ")");
  return names;
}

void Keeper::finish() {
  if (pid_ <= 0) return;
  channel_.send(Json{{"finish", true}});
  channel_.close();
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
  if (!was_subreaper_) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

}  // namespace topolaunch::launcher
