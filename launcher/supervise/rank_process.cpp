// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/rank_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/supervise/kin.h"
#include "launcher/supervise/signal_inbox.h"

namespace topolaunch::launcher {
namespace {

/// PIDFD_SIGNAL_PROCESS_GROUP, <linux/pidfd.h> of Linux 6.9
constexpr unsigned kProcessGroup = 1U << 2;

/// struct pidfd_info, <linux/pidfd.h> of Linux 6.13 (PIDFD_INFO_SIZE_VER0); EXIT since 6.15.
struct PidfdInfo {
  std::uint64_t mask = 0, cgroup = 0;
  std::array<std::uint32_t, 11> ids{};
  std::int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kInfoExit = 1U << 3;
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

/// Field 52 of /proc/PID/stat while the process is a zombie (man 5 proc; Linux 3.5).
std::optional<int> exit_code_of_zombie(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 2048> text{};
  if (!file || ::read(file.get(), text.data(), text.size() - 1) <= 0) return std::nullopt;
  const char* at = std::strrchr(text.data(), ')');
  if (at == nullptr || at[1] != ' ' || at[2] != 'Z') return std::nullopt;
  for (int field = 2; field < 52; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) return std::nullopt;
  }
  return std::atoi(at + 1);
}

}  // namespace

void RankProcess::signal(int number) const {
  if (link != nullptr && link->linked()) {
    link->channel.post(Json{{"signal", number}, {"rank", plan->rank}});
    link->channel.flush();
  }
  if (!pidfd) return;
  if (!own_group) {
    signal_pidfd(pidfd.get(), number);
    return;
  }
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, kProcessGroup) == 0) return;
  // Before Linux 6.9: by number, which is sure to be ours while the process is there.
  if (errno == EINVAL && !ended() && read_kin(pid).pid == pid) {
    if (::kill(-pid, number) != 0) signal_pidfd(pidfd.get(), number);
  }
}

bool has_ended(pid_t pid, int pidfd, std::optional<int>& status) {
  pollfd ready{pidfd, POLLIN, 0};
  if (pidfd < 0 || ::poll(&ready, 1, 0) <= 0) return false;
  status = exit_code_of_zombie(pid);
  if (!status) {
    PidfdInfo info;
    info.mask = kInfoExit;
    if (::ioctl(pidfd, kGetInfo, &info) == 0 && (info.mask & kInfoExit) != 0) {
      status = info.exit_code;
    }
  }
  return true;
}

bool RankProcess::look_for_end() { return ended() || has_ended(pid, pidfd.get(), status); }

int RankProcess::signal_number() const {
  return status && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
}

int RankProcess::exit_status() const {
  if (!status) return 1;
  return WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
}

std::string RankProcess::end_in_words() const {
  std::string words = "rank " + std::to_string(plan->rank);
  std::string where = plan->host.empty() ? "" : "host " + plan->host;
  if (plan->gpu_index >= 0) {
    where += (where.empty() ? "GPU " : ", GPU ") + std::to_string(plan->gpu_index);
    if (!plan->gpu_pci.empty()) where += " at " + plan->gpu_pci;
  }
  if (!where.empty()) words += " (" + where + ")";
  if (!status) return words + " ended, and how is not known";
  if (!memory_evidence.empty()) {
    return words + " was killed because memory ran out (OOM): " + memory_evidence;
  }
  if (signal_number() != 0) {
    words += " was killed by " + signal_name(signal_number());
    if (WCOREDUMP(*status)) words += ", core dumped";
    return words;
  }
  return words + " exited with status " + std::to_string(exit_status());
}

}  // namespace topolaunch::launcher
