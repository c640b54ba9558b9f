// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/trial.h"

#include <algorithm>

#include "bench/bus_bandwidth.h"
#include "bench/statistics.h"

namespace topolaunch::bench {
namespace {

/// One trial's state: the memory, and the number of the pattern, which never comes back.
class Trial {
 public:
  Trial(const World& world, Subject& subject, const TrialOptions& options, Deadline& deadline)
      : world_(world), subject_(subject), options_(options), deadline_(deadline) {}

  Status allocate() {
    deadline_.step({.phase = "allocating memory"});
    const std::int64_t largest = *std::max_element(options_.sizes.begin(), options_.sizes.end());
    Status mine;
    for (DeviceBuffer* buffer : {&send_, &receive_}) {
      auto memory = DeviceBuffer::allocate(subject_.device(), static_cast<std::size_t>(largest));
      if (!memory) {
        mine = fail(std::move(memory).error());
        break;
      }
      *buffer = std::move(*memory);
    }
    return world_.agree(mine);
  }

  tl::expected<Timing, TrialFailure> measure(std::int64_t size, bool in_place) {
    size_ = size;
    placement_ = in_place ? "in place" : "out of place";
    const auto bytes = static_cast<std::size_t>(size);
    const Work work{options_.type, options_.reduction, bytes / element_bytes(options_.type),
                    in_place ? receive_.data() : send_.data(), receive_.data()};
    begin("preparing");
    Status ready = fill(work);
    if (ready) ready = subject_.prepare(work);
    if (auto all = world_.agree(ready); !all) return together(std::move(all).error());

    std::vector<double> mine(static_cast<std::size_t>(options_.iterations), 0.0);
    std::int64_t wrong = 0;
    if (auto alone = run_all(work, bytes, mine, wrong); !alone) {
      return tl::unexpected<TrialFailure>({std::move(alone).error(), world_.size() == 1});
    }
    begin("collecting times");
    ++iteration_;
    Timing timing = summary(size, world_.slowest(mine));
    timing.wrong = options_.check_iterations > 0 ? world_.sum(wrong) : -1;
    return timing;
  }

  static tl::unexpected<TrialFailure> together(Error error) {
    return tl::unexpected<TrialFailure>({std::move(error), true});
  }

 private:
  /// Warm-up, timed and checked runs. A failure is this rank's alone.
  Status run_all(const Work& work, std::size_t bytes, std::vector<double>& seconds,
                 std::int64_t& wrong) {
    DevicePort& device = subject_.device();
    for (int i = 0; i < options_.warmup_iterations; ++i) {
      if (auto s = run_once("warm-up", i, nullptr); !s) return s;
    }
    if (!work.in_place()) {
      if (auto s = device.poison(work.receive, bytes); !s) return s;
    }
    for (int i = 0; i < options_.iterations; ++i) {
      if (auto s = run_once("timed run", i, &seconds[static_cast<std::size_t>(i)]); !s) return s;
    }
    if (options_.check_iterations == 0) return {};
    // In place the runs have piled sum on sum; out of place the last one can be held to account.
    if (!work.in_place()) {
      if (auto s = count(work, wrong); !s) return s;
    }
    for (int i = 0; i < options_.check_iterations; ++i) {
      begin("check", i);
      ++iteration_;
      if (!work.in_place()) {
        if (auto s = device.poison(work.receive, bytes); !s) return s;
      }
      if (auto s = fill(work); !s) return s;
      if (auto s = run_once("check", i, nullptr); !s) return s;
      if (auto s = count(work, wrong); !s) return s;
    }
    return {};
  }
  void begin(const char* phase, int iteration = -1) {
    deadline_.step({phase, size_, placement_, iteration});
  }
  kernels::Pattern pattern() const {
    return kernels::make_pattern(static_cast<std::uint32_t>(world_.size()), iteration_);
  }
  Status fill(const Work& work) {
    void* into = work.in_place() ? work.receive : send_.data();
    return subject_.device().fill(pattern(), static_cast<std::uint32_t>(world_.rank()), work.type,
                                  into, work.count);
  }
  Status run_once(const char* phase, int iteration, double* seconds) {
    begin(phase, iteration);
    world_.barrier();
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
    auto more = subject_.device().count_wrong(pattern(), work.reduction, work.type, work.receive,
                                              work.count);
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
    timing.busbw = timing.algbw * bus_factor("allreduce", world_.size());
    timing.raw = std::move(raw);
    return timing;
  }

  const World& world_;
  Subject& subject_;
  const TrialOptions& options_;
  Deadline& deadline_;
  DeviceBuffer send_, receive_;
  std::uint32_t iteration_ = 0;
  std::int64_t size_ = -1;
  const char* placement_ = "";
};

}  // namespace

tl::expected<std::vector<SizeResult>, TrialFailure> run_trial(const World& world,
                                                              Subject& subject,
                                                              const TrialOptions& options,
                                                              Deadline& deadline,
                                                              const OnSize& on_size) {
  std::vector<SizeResult> results;
  if (options.sizes.empty()) return results;
  Trial trial(world, subject, options, deadline);
  if (auto status = trial.allocate(); !status) return Trial::together(std::move(status).error());
  for (const std::int64_t size : options.sizes) {
    SizeResult result;
    result.size = size;
    result.count = size / static_cast<std::int64_t>(element_bytes(options.type));
    result.type = name_of(options.type);
    result.redop = name_of(options.reduction);
    result.out_of_place.wrong = result.in_place.wrong = -1;
    for (const bool in_place : {false, true}) {
      if (in_place ? !options.in_place : !options.out_of_place) continue;
      auto timing = trial.measure(size, in_place);
      if (!timing) return tl::unexpected<TrialFailure>(std::move(timing).error());
      (in_place ? result.in_place : result.out_of_place) = std::move(*timing);
    }
    if (world.root() && on_size) on_size(result);
    results.push_back(std::move(result));
  }
  deadline.rest();
  return results;
}

const char* name_of(kernels::ElementType type) {
  return type == kernels::ElementType::float32 ? "float" : "int32";
}

const char* name_of(kernels::Reduction reduction) {
  switch (reduction) {
    case kernels::Reduction::minimum: return "min";
    case kernels::Reduction::maximum: return "max";
    case kernels::Reduction::sum: break;
  }
  return "sum";
}

}  // namespace topolaunch::bench
