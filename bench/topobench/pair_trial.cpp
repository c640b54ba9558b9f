// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/pair_trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "bench/checked_data.h"
#include "bench/statistics.h"
#include "bench/topobench/cpu_quota.h"

namespace topolaunch::bench {
namespace {

constexpr std::uint64_t kLatencyElements = 2;  // 8 bytes
constexpr int kRoundTrips = 20;
/// Longer than the period of a cgroup's CPU quota (100 ms unless set otherwise), so that a
/// throttled host is seen throttled.
constexpr Seconds kLocalTime{0.15};

using Steady = std::chrono::steady_clock;

/// No message of a pair takes much longer: thousands of them make a matrix.
constexpr Seconds kMessageTime{0.025};
/// Of host memory. Shorter ones say more of the software than of the link.
constexpr std::uint64_t kLeastBytes = 256 << 10;

/// Large enough that a link of the machine is filled: 400 Gb/s take 1.3 ms for the one, 1 Gb/s 8 ms
/// for the other.
std::int64_t bytes_of(const PairOptions& options, Subject& subject) {
  if (options.bytes > 0) return std::max<std::int64_t>(options.bytes, 4);
  return subject.device().address() == "cpu" ? 1 << 20 : 64 << 20;
}

class PairTrial {
 public:
  PairTrial(const World& world, Subject& subject, const PairOptions& options,
            const std::vector<int>& taking_part, Deadline& deadline)
      : world_(world),
        subject_(subject),
        options_(options),
        ranks_(taking_part),
        deadline_(deadline),
        count_(static_cast<std::uint64_t>(bytes_of(options, subject)) / 4),
        pattern_(kernels::make_pattern(static_cast<std::uint32_t>(world.size()), 0)) {
    const auto me = std::find(ranks_.begin(), ranks_.end(), world.rank());
    place_ = static_cast<std::size_t>(me - ranks_.begin());
    matrix_.ranks = ranks_;
    matrix_.bytes = static_cast<std::int64_t>(count_ * 4);
  }

  Status allocate() {
    deadline_.step({.phase = "allocating memory"});
    Status mine;
    for (DeviceBuffer* buffer : {&send_, &receive_}) {
      auto memory = DeviceBuffer::allocate(subject_.device(), count_ * 4);
      if (!memory) {
        mine = fail(std::move(memory).error());
        break;
      }
      *buffer = std::move(*memory);
    }
    if (mine) {
      mine = subject_.device().fill(pattern_, static_cast<std::uint32_t>(world_.rank()),
                                    kernels::ElementType::float32, send_.data(), count_, 0);
    }
    return world_.agree(mine);
  }

  /// Shorter messages where links are slow: each rank taking part sends to the next one, and the
  /// slowest of them counts.
  Status choose_size() {
    if (options_.bytes > 0 || subject_.device().address() != "cpu") return {};
    const std::size_t size = ranks_.size();
    double took = 0;
    if (place_ < size) {
      const Work round = work(count_, ranks_[(place_ + 1) % size], ranks_[(place_ + size - 1) % size]);
      if (auto s = subject_.prepare(round); !s) return s;
      for (int i = 0; i < 2; ++i) {
        deadline_.step({"choosing the size of messages", matrix_.bytes, "", i});
        if (auto s = run_once(); !s) return s;
        took = took_;
      }
    }
    constexpr double kNanosecond = 1e-9;
    took = -kNanosecond * static_cast<double>(world_.minimum(std::llround(-took / kNanosecond)));
    while (took > kMessageTime.count() && count_ * 4 > kLeastBytes) count_ /= 2, took /= 2;
    matrix_.bytes = static_cast<std::int64_t>(count_ * 4);
    return {};
  }

  /// Everything; a failure is this rank's alone.
  Status run(const OnProgress& on_progress) {
    const std::size_t size = ranks_.size(), pairs = size * (size - 1) / 2;
    const auto rounds = rounds_of_pairs(size);
    const bool local = options_.local && subject_.device().address() == "cpu";
    // Kind by kind over all pairs, not pair by pair: what disturbs the machine for a moment then
    // strikes one figure of a pair and not all of them.
    const std::pair<bool, Status (PairTrial::*)(std::size_t, std::size_t)> kinds[] = {
        {options_.latency, &PairTrial::ping_pong},
        {options_.one_way, &PairTrial::one_way},
        {options_.both_ways, &PairTrial::both_ways}};
    const auto steps_local = local ? size : 0;
    all_steps_ = 2 * steps_local + (options_.concurrent ? rounds.size() + steps_local : 0);
    for (const auto& kind : kinds) all_steps_ += kind.first ? pairs + steps_local : 0;
    on_progress_ = on_progress;
    for (const auto& [wanted, matrix] : {std::pair(options_.one_way, &matrix_.one_way),
                                         std::pair(options_.both_ways, &matrix_.both_ways),
                                         std::pair(options_.concurrent, &matrix_.concurrent),
                                         std::pair(options_.latency, &matrix_.latency)}) {
      if (wanted) *matrix = Matrix(size);
    }
    if (local) matrix_.local.assign(size, 0), matrix_.held_back.assign(size, -1);
    for (int pass = 0; local && pass < 2; ++pass) local_copies();
    for (const auto& [wanted, measure] : kinds) {
      if (!wanted) continue;
      for (const auto& round : rounds) {
        for (const auto& [a, b] : round) {
          if (place_ == a || place_ == b) {
            if (auto s = (this->*measure)(a, b); !s) return s;
          }
          step_done();
        }
      }
      if (local) local_copies();
    }
    if (options_.concurrent) {
      for (const auto& round : rounds) {
        for (const bool back : {false, true}) {
          if (auto s = one_round(round, back); !s) return s;
        }
        step_done();
      }
      if (local) local_copies();
    }
    return {};
  }

  PairMatrix collected() {
    deadline_.step({.phase = "collecting times"});
    for (Matrix* matrix :
         {&matrix_.one_way, &matrix_.both_ways, &matrix_.concurrent, &matrix_.latency}) {
      if (!matrix->empty()) *matrix = gathered(*matrix);
    }
    if (!matrix_.local.empty()) {  // what the others measured is 0, or -1, here
      matrix_.local = world_.slowest(matrix_.local);
      matrix_.held_back = world_.slowest(matrix_.held_back);
    }
    const bool checked = options_.one_way || options_.both_ways || options_.concurrent;
    const std::int64_t wrong = world_.sum(wrong_);
    matrix_.wrong = checked ? wrong : -1;
    return std::move(matrix_);
  }

 private:
  void step_done() {
    deadline_.step({.phase = "waiting for other ranks' pairs"});
    world_.wait_asleep();
    ++steps_;
    if (world_.root() && on_progress_) on_progress_(steps_, all_steps_);
  }
  Work work(std::uint64_t count, int to, int from) const {
    Work w{kernels::ElementType::float32, kernels::Reduction::sum, count, send_.data(),
           receive_.data()};
    w.collective = Collective::sendrecv;
    w.to = to;
    w.from = from;
    return w;
  }
  Status run_once() {
    auto took = subject_.run();
    if (!took) return fail(std::move(took).error());
    took_ = took->count();
    return {};
  }

  /// Medians of `iterations` runs behind `before`; written down, and checked, where data arrive.
  template <class Before>
  Status timed(const char* what, const Work& w, Matrix& into, std::size_t from,
               const Before& before) {
    const bool receives = w.from != kNobody;
    if (receives) {
      if (auto s = subject_.device().poison(receive_.data(), count_ * 4); !s) return s;
    }
    if (auto s = subject_.prepare(w); !s) return s;
    std::vector<double> seconds;
    for (int i = -options_.warmup_iterations; i < options_.iterations; ++i) {
      deadline_.step({what, matrix_.bytes, "", i});
      before();
      if (auto s = run_once(); !s) return s;
      if (i >= 0) seconds.push_back(took_);
    }
    if (!receives) return {};
    const double middle = median(seconds);
    if (middle > 0) into.at(from, place_) = static_cast<double>(matrix_.bytes) / middle;
    auto wrong = count_wrong(subject_.device(), pattern_, w, {world_.rank(), world_.size()});
    if (!wrong) return fail(std::move(wrong).error());
    wrong_ += *wrong;
    return {};
  }

  std::size_t other_of(std::size_t a, std::size_t b) const { return place_ == a ? b : a; }

  Status one_way(std::size_t a, std::size_t b) {
    const std::size_t other = other_of(a, b);
    const int peer = ranks_[other];
    for (const std::size_t sender : {a, b}) {
      const Work w = place_ == sender ? work(count_, peer, kNobody) : work(count_, kNobody, peer);
      if (auto s = timed("one way", w, matrix_.one_way, other, [&] { world_.meet(peer); }); !s)
        return s;
    }
    return {};
  }

  Status both_ways(std::size_t a, std::size_t b) {
    const std::size_t other = other_of(a, b);
    const int peer = ranks_[other];
    return timed("both ways", work(count_, peer, peer), matrix_.both_ways, other,
                 [&] { world_.meet(peer); });
  }

  Status one_round(const std::vector<std::pair<std::size_t, std::size_t>>& round, bool back) {
    const auto together = [&] { world_.barrier(); };
    for (const auto& [a, b] : round) {
      if (place_ != a && place_ != b) continue;
      const std::size_t other = other_of(a, b);
      const bool sends = (place_ == a) != back;
      const Work w =
          sends ? work(count_, ranks_[other], kNobody) : work(count_, kNobody, ranks_[other]);
      return timed("concurrent pairs", w, matrix_.concurrent, other, together);
    }
    for (int i = -options_.warmup_iterations; i < options_.iterations; ++i) together();
    return {};
  }

  Status ping_pong(std::size_t a, std::size_t b) {
    const bool first = place_ == a;
    const std::size_t other = other_of(a, b);
    const int peer = ranks_[other];
    std::vector<double> seconds;
    for (int i = -2; i < kRoundTrips; ++i) {
      deadline_.step({"round trip", static_cast<std::int64_t>(kLatencyElements * 4), "", i});
      world_.meet(peer);
      const auto start = Steady::now();
      for (const bool send : {first, !first}) {
        const Work w =
            send ? work(kLatencyElements, peer, kNobody) : work(kLatencyElements, kNobody, peer);
        if (auto s = subject_.prepare(w); !s) return s;
        if (auto s = run_once(); !s) return s;
      }
      if (i >= 0) seconds.push_back(Seconds(Steady::now() - start).count() / 2);
    }
    // The one who began knows how long it took; the other began to wait at another time.
    if (first) matrix_.latency.at(place_, other) = matrix_.latency.at(other, place_) = median(seconds);
    return {};
  }

  /// One rank after the other. Of all passes, which lie apart, the best one counts: a slow host is
  /// slow each time, one that something else kept busy for a moment isn't.
  void local_copies() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (i == place_) matrix_.local[i] = std::max(matrix_.local[i], copy_locally());
      step_done();
    }
  }

  double copy_locally() {
    deadline_.step({.phase = "copying own memory"});
    const RootedFiles files;
    const CpuQuota quota(files);
    const auto before = quota.held_back();
    const std::clock_t cpu_before = std::clock();
    const auto start = Steady::now();
    Seconds took{0};
    double bytes = 0;
    do {
      std::memcpy(receive_.data(), send_.data(), count_ * 4);
      bytes += static_cast<double>(count_ * 4);
      took = Steady::now() - start;
    } while (took < kLocalTime);
    // Not held against all of the time: other processes of the host may have had the CPU.
    if (const auto after = quota.held_back(); before && after) {
      const double held = std::max((*after - *before).count(), 0.0);
      const double ran = static_cast<double>(std::clock() - cpu_before) / CLOCKS_PER_SEC;
      const double share = held + ran > 0 ? held / (held + ran) : 0;
      matrix_.held_back[place_] = std::max(matrix_.held_back[place_], share);
    }
    return bytes / took.count();
  }

  /// Each rank holds what it measured; -1 elsewhere, so that the largest is what there is.
  Matrix gathered(const Matrix& mine) const {
    const std::size_t size = mine.size();
    std::vector<double> flat;
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) flat.push_back(mine.has(r, c) ? mine.at(r, c) : -1);
    }
    const auto all = world_.slowest(flat);
    Matrix out(size);
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) {
        if (all[r * size + c] >= 0) out.at(r, c) = all[r * size + c];
      }
    }
    return out;
  }

  const World& world_;
  Subject& subject_;
  const PairOptions& options_;
  const std::vector<int>& ranks_;
  Deadline& deadline_;
  std::uint64_t count_;
  const kernels::Pattern pattern_;
  std::size_t place_ = 0;  ///< in ranks_; its size where this rank is not measured
  DeviceBuffer send_, receive_;
  PairMatrix matrix_;
  std::int64_t wrong_ = 0;
  std::size_t steps_ = 0, all_steps_ = 0;
  double took_ = 0;
  OnProgress on_progress_;
};

}  // namespace

tl::expected<PairMatrix, TrialFailure> run_pairs(const World& world, Subject& subject,
                                                 const PairOptions& options,
                                                 const std::vector<int>& taking_part,
                                                 Deadline& deadline,
                                                 const OnProgress& on_progress) {
  PairTrial trial(world, subject, options, taking_part, deadline);
  if (auto status = trial.allocate(); !status) {
    return tl::unexpected<TrialFailure>({std::move(status).error(), true});
  }
  auto alone = trial.choose_size();
  if (alone) alone = trial.run(on_progress);
  if (!alone) {
    return tl::unexpected<TrialFailure>({std::move(alone).error(), world.size() == 1});
  }
  PairMatrix matrix = trial.collected();
  deadline.rest();
  return matrix;
}

}  // namespace topolaunch::bench
