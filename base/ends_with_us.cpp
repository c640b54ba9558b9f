// SPDX-License-Identifier: Apache-2.0
#include "base/ends_with_us.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <string_view>
#include <vector>

namespace topolaunch {
namespace {

/// More at once than anybody starts (hosts are asked 64 at a time); further ones aren't ended.
constexpr std::size_t kMost = 512;
std::array<std::atomic<pid_t>, kMost> groups;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler reads them");

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
std::mutex guard;  // of the two below
std::size_t living = 0;
std::vector<int> handled;  // signals that are ours while a group lives

/// Only what a signal handler may do.
void end_all(int number) {
  for (const auto& group : groups) {
    if (const pid_t id = group.load(); id > 0) ::kill(-id, SIGTERM);
  }
  constexpr std::string_view kWords = "topolaunch: interrupted\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void take_signals() {
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = end_all;
    if (::sigaction(number, &ours, nullptr) == 0) handled.push_back(number);
  }
}

void give_signals_back() {
  for (const int number : handled) ::signal(number, SIG_DFL);
  handled.clear();
}

}  // namespace

EndsWithUs::EndsWithUs(pid_t group) : group_(group) {
  for (auto& place : groups) {
    pid_t nobody = 0;
    if (place.compare_exchange_strong(nobody, group)) break;
  }
  const std::lock_guard lock(guard);
  if (living++ == 0) take_signals();
}

EndsWithUs::~EndsWithUs() {
  for (auto& place : groups) {
    pid_t ours = group_;
    if (place.compare_exchange_strong(ours, 0)) break;
  }
  const std::lock_guard lock(guard);
  if (--living == 0) give_signals_back();
}

}  // namespace topolaunch
