// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/trial.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/bus_bandwidth.h"
#include "bench/checked_data.h"
#include "bench/statistics.h"

namespace topolaunch::bench {
namespace {

constexpr int kFewestTimed = 2;  // however long they take: one can't be told from a hiccup

/// One trial's state: the memory, and the number of the pattern, which never comes back.
class Trial {
 public:
  Trial(const Together& who, Subject& subject, const TrialOptions& options, Deadline& deadline)
      : everybody_(who.everybody),
        group_(who.group),
        subject_(subject),
        options_(options),
        deadline_(deadline) {}

  Status allocate(const std::vector<Layout>& layouts) {
    deadline_.step({.phase = "allocating memory"});
    std::uint64_t send = 0, receive = 0;
    for (const Layout& layout : layouts) {
      send = std::max(send, layout.send);
      // In place the buffer holds the input too.
      receive = std::max({receive, layout.receive, layout.send});
    }
    Status mine;
    for (const auto& [buffer, count] : {std::pair(&send_, send), std::pair(&receive_, receive)}) {
      auto memory = DeviceBuffer::allocate(subject_.device(), count * element_bytes(options_.type));
      if (!memory) {
        mine = fail(std::move(memory).error());
        break;
      }
      *buffer = std::move(*memory);
    }
    return everybody_.agree(mine);
  }

  tl::expected<Timing, TrialFailure> measure(const Layout& layout, bool in_place) {
    size_ = layout.size;
    placement_ = in_place ? "in place" : "out of place";
    Work work{options_.type, options_.reduction, layout.count,
              in_place ? receive_.data() : send_.data(), receive_.data()};
    work.collective = options_.collective;
    work.root = options_.root;
    if (work.collective == Collective::sendrecv) {
      work.to = (group_.rank() + 1) % group_.size();
      work.from = (group_.rank() + group_.size() - 1) % group_.size();
    }
    check_ =
        options_.check_iterations > 0 && (!in_place || subject_.defines_in_place(work.collective));
    begin("preparing");
    Status ready = fill(work);
    if (ready) ready = subject_.prepare(work);
    if (auto all = everybody_.agree(ready); !all) return together(std::move(all).error());

    std::vector<double> mine;
    std::int64_t wrong = 0;
    if (auto alone = run_all(work, mine, wrong); !alone) {
      return tl::unexpected<TrialFailure>({std::move(alone).error(), everybody_.size() == 1});
    }
    begin("collecting times");
    ++iteration_;
    Timing timing = summary(layout.size, group_.over_ranks(mine, options_.over_ranks));
    timing.wrong = check_ ? group_.sum(wrong) : -1;
    own_wrong_ += wrong;
    return timing;
  }

  /// Whether one run of the last size took longer than the limit on a size.
  bool too_long() const { return too_long_; }
  /// Wrong elements that this rank has received in all.
  std::int64_t own_wrong() const { return own_wrong_; }

  static tl::unexpected<TrialFailure> together(Error error) {
    return tl::unexpected<TrialFailure>({std::move(error), true});
  }

 private:
  /// Warm-up, timed and checked runs. A failure is this rank's alone.
  Status run_all(const Work& work, std::vector<double>& seconds, std::int64_t& wrong) {
    int warmups = options_.warmup_iterations, iterations = options_.iterations;
    for (int i = 0; i < warmups; ++i) {
      double took = 0;
      if (auto s = run_once("warm-up", i, &took); !s) return s;
      if (i == 0 && options_.size_limit.count() > 0) limit_to(took, warmups, iterations);
    }
    seconds.assign(static_cast<std::size_t>(iterations), 0.0);
    if (!work.in_place()) {
      if (auto s = fill(work); !s) return s;
    }
    for (int i = 0; i < iterations; ++i) {
      if (auto s = run_once("timed run", i, &seconds[static_cast<std::size_t>(i)]); !s) return s;
    }
    if (!check_) return {};
    // In place the runs have piled sum on sum; out of place the last one can be held to account.
    if (!work.in_place()) {
      if (auto s = count(work, wrong); !s) return s;
    }
    for (int i = 0; i < options_.check_iterations; ++i) {
      begin("check", i);
      ++iteration_;
      if (auto s = fill(work); !s) return s;
      if (auto s = run_once("check", i, nullptr); !s) return s;
      if (auto s = count(work, wrong); !s) return s;
    }
    return {};
  }
  /// All ranks come to the same numbers, by the slowest one's time.
  void limit_to(double took, int& warmups, int& iterations) {
    constexpr double kNanosecond = 1e-9;
    const double longest =
        -kNanosecond * static_cast<double>(everybody_.minimum(std::llround(-took / kNanosecond)));
    const double limit = options_.size_limit.count();
    too_long_ = longest > limit;
    if (longest * (warmups + iterations) <= limit) return;
    warmups = std::min(warmups, std::max(1, static_cast<int>(limit / longest / 8)));
    iterations = std::clamp(static_cast<int>(limit / longest), kFewestTimed, iterations);
  }
  void begin(const char* phase, int iteration = -1) {
    deadline_.step({phase, size_, placement_, iteration});
  }
  Seat seat() const { return {group_.rank(), group_.size()}; }
  kernels::Pattern pattern() const {
    return kernels::make_pattern(static_cast<std::uint32_t>(group_.size()), iteration_);
  }
  Status fill(const Work& work) { return fill_input(subject_.device(), pattern(), work, seat()); }
  Status run_once(const char* phase, int iteration, double* seconds) {
    begin(phase, iteration);
    everybody_.barrier();
    auto took = subject_.run();
    if (!took) {
      Error error = std::move(took).error();
      error.message = to_text(Step{phase, size_, placement_, iteration}) + ": " + error.message;
      return fail(std::move(error));
    }
    if (seconds != nullptr) *seconds = took->count();
    return {};
  }
  Status count(const Work& work, std::int64_t& wrong) {
    auto more = count_wrong(subject_.device(), pattern(), work, seat());
    if (!more) return fail(std::move(more).error());
    wrong += *more;
    return {};
  }
  Timing summary(std::int64_t size, std::vector<double> raw) const {
    const Spread s = spread(raw);
    Timing timing;
    timing.time = timing.p50 = Seconds(s.p50);
    timing.p99 = Seconds(s.p99);
    timing.minimum = Seconds(s.minimum);
    timing.maximum = Seconds(s.maximum);
    timing.algbw = algorithm_bandwidth(size, timing.time);
    timing.busbw = timing.algbw * bus_factor(name_of(options_.collective), group_.size());
    timing.raw = std::move(raw);
    return timing;
  }

  const World& everybody_;
  const World& group_;
  Subject& subject_;
  const TrialOptions& options_;
  Deadline& deadline_;
  DeviceBuffer send_, receive_;
  std::uint32_t iteration_ = 0;
  std::int64_t own_wrong_ = 0;
  std::int64_t size_ = -1;
  const char* placement_ = "";
  bool check_ = true, too_long_ = false;
};

/// Sizes that come to the same number of elements are measured once; not where groups of different
/// sizes run side by side, which have to have as many to do.
std::vector<Layout> layouts_of(const TrialOptions& options, int ranks, bool all_alike) {
  std::vector<Layout> layouts;
  for (const std::int64_t size : options.sizes) {
    const Layout layout = layout_of(options.collective, size,
                                    static_cast<std::int64_t>(element_bytes(options.type)), ranks);
    if (layouts.empty() || !all_alike || layouts.back().size != layout.size) {
      layouts.push_back(layout);
    }
  }
  return layouts;
}

}  // namespace

tl::expected<std::vector<SizeResult>, TrialFailure> run_trial(const Together& who, Subject& subject,
                                                              const TrialOptions& options,
                                                              Deadline& deadline,
                                                              const OnSize& on_size,
                                                              std::int64_t* own_wrong) {
  std::vector<SizeResult> results;
  if (options.sizes.empty()) return results;
  if (!subject.does(options.collective)) {
    return Trial::together(Error{Code::unavailable,
                                 subject.backend() + " does no " + name_of(options.collective),
                                 "another --subject",
                                 {},
                                 0});
  }
  Trial trial(who, subject, options, deadline);
  const std::vector<Layout> layouts =
      layouts_of(options, who.group.size(), &who.group == &who.everybody);
  if (auto status = trial.allocate(layouts); !status)
    return Trial::together(std::move(status).error());
  for (const Layout& layout : layouts) {
    SizeResult result;
    result.size = layout.size;
    result.count = static_cast<std::int64_t>(layout.count);
    result.type = name_of(options.type);
    result.redop = reduces(options.collective) ? name_of(options.reduction) : "none";
    if (has_root(options.collective)) result.root = options.root;
    result.out_of_place.wrong = result.in_place.wrong = -1;
    for (const bool in_place : {false, true}) {
      if (in_place ? !options.in_place : !options.out_of_place) continue;
      auto timing = trial.measure(layout, in_place);
      if (!timing) return tl::unexpected<TrialFailure>(std::move(timing).error());
      (in_place ? result.in_place : result.out_of_place) = std::move(*timing);
      if (!in_place) result.estimate = subject.estimate().value_or(Seconds(0));
    }
    if (who.group.root() && on_size) on_size(result);
    results.push_back(std::move(result));
    if (trial.too_long()) break;
  }
  if (own_wrong != nullptr) *own_wrong += trial.own_wrong();
  deadline.rest();
  return results;
}

const char* name_of(kernels::ElementType type) {
  return type == kernels::ElementType::float32 ? "float" : "int32";
}

const char* name_of(kernels::Reduction reduction) {
  switch (reduction) {
    case kernels::Reduction::minimum:
      return "min";
    case kernels::Reduction::maximum:
      return "max";
    case kernels::Reduction::sum:
      break;
  }
  return "sum";
}

}  // namespace topolaunch::bench
