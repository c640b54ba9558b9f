// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/job_cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <string_view>

#include "base/own_cgroups.h"

namespace topolaunch::launcher {
namespace {

constexpr std::string_view kPrefix = "topolaunch-";

/// Nothing where it can't be opened, or somebody else keeps it.
Descriptor locked(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) folder.reset();
  return folder;
}

/// "topolaunch-" and a run's id (a UUID), whatever follows.
bool is_job_cgroup(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view id = name.substr(kPrefix.size(), 36);
  if (id.size() < 36) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? id[i] != '-' : std::isxdigit(static_cast<unsigned char>(id[i])) == 0) return false;
  }
  return true;
}

/// Groups of jobs whose keeper is gone without a word. One with a process in it can't be removed.
void remove_abandoned(const std::string& parent) {
  DIR* const folder = ::opendir(parent.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    const std::string path = parent + "/" + entry->d_name;
    if (is_job_cgroup(entry->d_name) && locked(path)) ::rmdir(path.c_str());
  }
  ::closedir(folder);
}

}  // namespace

std::string own_cgroup(const Files& files) {
  for (const OwnCgroup& group : own_cgroups(files)) {
    if (group.version2) return group.exact ? group.folders.front() : std::string();
  }
  return {};
}

std::string job_cgroup_path(const std::string& parent, const std::string& run_id,
                            const std::string& host) {
  const std::string name = run_id + (host.empty() ? "" : "-" + host);
  if (parent.empty() || name.find('/') != std::string::npos) return {};
  return parent + "/" + std::string(kPrefix) + name;
}

JobCgroup JobCgroup::make(const std::string& path) {
  JobCgroup group;
  if (path.empty()) return group;
  remove_abandoned(path.substr(0, path.rfind('/')));
  if (::mkdir(path.c_str(), 0755) != 0) return group;
  group.folder_ = locked(path);
  if (!group.folder_ || ::access((path + "/cgroup.procs").c_str(), W_OK) != 0 ||
      ::access((path + "/cgroup.kill").c_str(), W_OK) != 0) {
    group.folder_.reset();
    ::rmdir(path.c_str());
    return group;
  }
  group.path_ = path;
  return group;
}

JobCgroup JobCgroup::existing(std::string path) {
  JobCgroup group;
  group.path_ = std::move(path);
  return group;
}

pid_t JobCgroup::fork() const {
  if (!folder_) return ::fork();
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<__u64>(folder_.get());
  const long child = ::syscall(SYS_clone3, &how, sizeof how);
  // Not in kernels before 5.7, nor behind the seccomp filters of some containers.
  if (child >= 0 || errno == EAGAIN || errno == ENOMEM) return static_cast<pid_t>(child);
  const pid_t plain = ::fork();
  if (plain == 0) {
    const Descriptor door(::openat(folder_.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (door) static_cast<void>(!::write(door.get(), "0", 1));
  }
  return plain;
}

void JobCgroup::kill() const {
  if (path_.empty()) return;
  const Descriptor file(::open((path_ + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC));
  if (file) static_cast<void>(!::write(file.get(), "1", 1));
}

void JobCgroup::remove() {
  if (!path_.empty()) ::rmdir(path_.c_str());
  path_.clear();
  folder_.reset();
}

}  // namespace topolaunch::launcher
