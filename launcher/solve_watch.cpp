// SPDX-License-Identifier: Apache-2.0
#include "launcher/solve_watch.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <string>

#include "launcher/progress_line.h"

namespace topolaunch::launcher {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

/// SIGINT for as long as it lives; the second one does what it did before.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() { ::sigaction(SIGINT, &before_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_ {};
};

/// How far the search is.
class SolveLine {
 public:
  void stage(const std::string& name, double seconds, double hop_bytes) {
    text_ = seconds > 0 ? fmt::format("{}, best so far {} a step", name, to_text(Seconds(seconds)))
                        : fmt::format("{}, best so far {:.4g} hop-bytes", name, hop_bytes);
  }
  void draw(double elapsed) {
    if (elapsed < drawn_ + kInterval) return;
    drawn_ = elapsed;
    line_.draw(fmt::format("solving for {:.0f} s: {} (Ctrl-C takes the best so far)", elapsed,
                           text_));
  }

 private:
  static constexpr double kInterval = 0.5;
  ProgressLine line_;
  std::string text_ = "starting";
  double drawn_ = 0.5;  // nothing in the first second
};

/// What the watch's two functions share.
struct State {
  State(const SolveLimits& limits, const Clock& clock_)
      : clock(clock_),
        begin(clock_.boot_seconds()),
        limit(limits.limit),
        interruptible(limits.interruptible) {
    if (interruptible) guard = std::make_unique<InterruptGuard>();
    if (limits.progress && ProgressLine::possible()) line = std::make_unique<SolveLine>();
  }
  bool stop() {
    if (ended) return true;
    if (interruptible && interrupted) return ended = true;
    // The clock is a system call; the searches ask after every small step.
    if (!limit && !line) return false;
    if (++asked % 16 != 1) return false;
    const double elapsed = clock.boot_seconds() - begin;
    if (line) line->draw(elapsed);
    return ended = limit && elapsed >= limit->count();
  }

  const Clock& clock;
  double begin;
  std::optional<Seconds> limit;
  bool interruptible, ended = false;
  unsigned asked = 0;
  std::unique_ptr<InterruptGuard> guard;
  std::unique_ptr<SolveLine> line;
};

}  // namespace

std::shared_ptr<const mapping::Watch> watch_solve(const SolveLimits& limits, const Clock& clock) {
  if (!limits.limit && !limits.interruptible && !limits.progress) return nullptr;
  auto state = std::make_shared<State>(limits, clock);
  auto watch = std::make_shared<mapping::Watch>();
  watch->stopped = [state] { return state->stop(); };
  watch->report = [state](const std::string& stage, double seconds, double hop_bytes) {
    if (state->line) state->line->stage(stage, seconds, hop_bytes);
  };
  return watch;
}

}  // namespace topolaunch::launcher
