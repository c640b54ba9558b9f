// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/fabric_trial.h"

#include <mpi.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "bench/topobench/world.h"
#include "topo/probe_file.h"

namespace topolaunch::bench {
namespace {

using topo::PairFact;
using topo::Round;

constexpr int kTag = 3;
constexpr int kRoundTrips = 20;
/// A message is as large as makes even the fastest pair take so long: more than the scheduler's
/// slices. At least so large, as shapers let bursts through unhindered (256 KiB of a token bucket
/// are usual); at most so large, for memory's sake (400 Gb/s take 1 ms for that).
constexpr double kLongEnough = 0.005;
constexpr std::size_t kSizingRounds = 3;  // in each alone all pairs may happen to share a link
constexpr std::int64_t kSmallest = 384 << 10, kLargest = 48 << 20;
constexpr std::size_t kMostHosts = 2048;  // as leaf_clusters()

/// What all ranks do next, as rank 0 tells them.
enum class Step : std::int64_t { end, latency, bandwidth };

/// Ranks may share CPUs: who waits must not keep those who work from it. Naps where a transfer is
/// timed in milliseconds; for round trips the CPU is offered to others between two looks.
enum class Patience { nap, yield };
void wait(MPI_Request& request, Patience patience = Patience::nap) {
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (patience == Patience::nap) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    } else {
      std::this_thread::yield();
    }
  }
}

class Prober {
 public:
  explicit Prober(const World& world) : world_(world) {
    ::prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);  // naps of 50 us that last 50 us
  }

  /// Rank 0: what each pair of the round reached: seconds, or bytes per second.
  std::vector<double> measure(Step step, const Round& round) {
    std::vector<std::int64_t> order{static_cast<std::int64_t>(step),
                                    static_cast<std::int64_t>(round.size()), bytes_};
    for (const auto& [from, to] : round) order.insert(order.end(), {from, to});
    tell(order);
    auto seconds = take_part(order);
    if (step == Step::latency) return seconds;
    sent_ += 2 * bytes_ * static_cast<std::int64_t>(round.size());
    for (double& value : seconds) value = value > 0 ? static_cast<double>(bytes_) / value : 0;
    return seconds;
  }
  void end() { tell({static_cast<std::int64_t>(Step::end), 0, 0}); }

  /// The other ranks, until the end.
  void serve() {
    while (true) {
      std::vector<std::int64_t> order(3);
      broadcast(order);
      if (static_cast<Step>(order[0]) == Step::end) return;
      order.resize(3 + 2 * static_cast<std::size_t>(order[1]));
      if (order[1] > 0) broadcast(order);
      take_part(order);
    }
  }

  /// Rank 0: as measure(Step::bandwidth, round), of rounds of `first`, the first tournament; the
  /// size of messages is settled with some of these before, and what they reached then isn't
  /// measured twice.
  std::vector<double> bandwidth(const Round& round, const std::vector<Round>& first) {
    if (!sized_) {
      sized_ = true;
      size_messages(first);
    }
    const auto known = sizing_.find(round);
    if (known == sizing_.end()) return measure(Step::bandwidth, round);
    return std::move(sizing_.extract(known).mapped());
  }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t sent() const { return sent_; }

 private:
  void size_messages(const std::vector<Round>& rounds) {
    for (bytes_ = kSmallest; bytes_ < kLargest; bytes_ *= 2) {
      sizing_.clear();
      double fastest = 0;
      for (std::size_t r = 0; r < std::min(rounds.size(), kSizingRounds); ++r) {
        const auto rates = measure(Step::bandwidth, rounds[r]);
        for (const double rate : rates) fastest = std::max(fastest, rate);
        sizing_.emplace(rounds[r], rates);
      }
      if (static_cast<double>(bytes_) >= kLongEnough * fastest) return;
    }
    sizing_.clear();  // of messages half as large
  }
  void broadcast(std::vector<std::int64_t>& order) const {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibcast(order.data(), static_cast<int>(order.size()), MPI_INT64_T, 0, world_.comm(), &all);
    wait(all);
  }
  void tell(std::vector<std::int64_t> order) const {
    std::vector<std::int64_t> head(order.begin(), order.begin() + 3);
    broadcast(head);
    if (order.size() > 3) broadcast(order);
  }

  /// Seconds of each pair, on rank 0.
  std::vector<double> take_part(const std::vector<std::int64_t>& order) {
    const auto pairs = static_cast<std::size_t>(order[1]);
    bytes_ = order[2];
    std::vector<double> seconds(pairs, 0);
    const auto me = static_cast<std::int64_t>(world_.rank());
    int other = MPI_PROC_NULL;
    std::size_t mine = 0;
    bool first = false;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::int64_t from = order[3 + 2 * i], to = order[4 + 2 * i];
      if (from != me && to != me) continue;
      mine = i;
      first = from == me;
      other = static_cast<int>(first ? to : from);
    }
    for (auto* data : {&send_, &receive_}) {
      if (data->size() < static_cast<std::size_t>(bytes_))
        data->resize(static_cast<std::size_t>(bytes_), 1);
    }
    meet();
    if (other != MPI_PROC_NULL) {
      const bool latency = static_cast<Step>(order[0]) == Step::latency;
      const double took = latency ? round_trip(other, first) : exchange(other);
      // Of a round trip only the one who began knows how long it took.
      if (!latency || first) seconds[mine] = took;
    }
    meet();
    std::vector<double> slowest(pairs, 0);
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ireduce(seconds.data(), slowest.data(), static_cast<int>(pairs), MPI_DOUBLE, MPI_MAX, 0,
                world_.comm(), &all);
    wait(all);
    return slowest;
  }

  void meet() const {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(world_.comm(), &all);
    wait(all);
  }

  /// Both ways at once. A rank that is scheduled late sees less than the whole, its partner all of
  /// it: the longer time of the two counts.
  double exchange(int other) {
    const double start = MPI_Wtime();
    std::array<MPI_Request, 2> both{};
    const int count = static_cast<int>(bytes_);
    MPI_Irecv(receive_.data(), count, MPI_BYTE, other, kTag, world_.comm(), &both[0]);
    MPI_Isend(send_.data(), count, MPI_BYTE, other, kTag, world_.comm(), &both[1]);
    for (MPI_Request& one : both) wait(one);
    return MPI_Wtime() - start;
  }

  /// Half of the fastest round trip of a byte: what disturbs only ever adds.
  double round_trip(int other, bool first) {
    char byte = 0;
    double fastest = 1e9;
    for (int i = 0; i < kRoundTrips; ++i) {
      const double start = MPI_Wtime();
      for (const bool send : {first, !first}) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (send) {
          MPI_Isend(&byte, 1, MPI_BYTE, other, kTag, world_.comm(), &request);
        } else {
          MPI_Irecv(&byte, 1, MPI_BYTE, other, kTag, world_.comm(), &request);
        }
        wait(request, Patience::yield);
      }
      fastest = std::min(fastest, MPI_Wtime() - start);
    }
    return fastest / 2;
  }

  const World& world_;
  std::vector<char> send_, receive_;
  std::int64_t bytes_ = kSmallest, sent_ = 0;
  bool sized_ = false;
  std::map<Round, std::vector<double>>
      sizing_;  ///< rounds that settled the size, by what each reached
};

tl::unexpected<Error> wrong(std::string what) {
  return fail(Code::wrong_usage, "fabric trial: " + std::move(what));
}

Result<Json> probe(const FabricTrial& trial, Prober& prober) {
  const double begin = MPI_Wtime();
  topo::ProbeOptions options;
  options.seed = trial.seed;
  options.most_tournaments = trial.most_tournaments;
  options.time_is_up = [&] { return MPI_Wtime() - begin > trial.seconds; };
  const auto hosts = static_cast<int>(trial.hosts.size());
  const std::vector<Round> first = topo::tournament(hosts, trial.seed);
  auto found = topo::probe_fabric(
      trial.hosts,
      [&](PairFact::Of of, const Round& round) -> Result<std::vector<double>> {
        return of == PairFact::Of::latency ? prober.measure(Step::latency, round)
                                           : prober.bandwidth(round, first);
      },
      options);
  prober.end();
  if (!found) return fail(std::move(found).error());
  topo::ProbeCost cost;
  cost.time = Seconds(MPI_Wtime() - begin);
  cost.sent = Bytes(prober.sent());
  cost.message = Bytes(prober.bytes());
  cost.time_of_day = iso8601(SystemClock().unix_seconds());
  cost.backend = "mpi host memory";
  return topo::probe_json(trial.hosts, *found, cost);
}

}  // namespace

Result<FabricTrial> fabric_trial_from_json(const Json& json, int processes) {
  FabricTrial trial;
  try {
    trial.hosts = json.at("hosts").get<std::vector<std::string>>();
    trial.seconds = json.value("seconds", trial.seconds);
    trial.most_tournaments = json.value("most_tournaments", trial.most_tournaments);
    trial.seed = json.value("seed", trial.seed);
  } catch (const Json::exception& error) {
    return wrong(error.what());
  }
  const std::set<std::string> once(trial.hosts.begin(), trial.hosts.end());
  if (once.size() != trial.hosts.size()) return wrong("a host is named twice");
  if (trial.hosts.size() != static_cast<std::size_t>(processes)) {
    return wrong(std::to_string(trial.hosts.size()) + " hosts for " + std::to_string(processes) +
                 " ranks");
  }
  if (trial.hosts.size() > kMostHosts) return wrong("more than 2048 hosts");
  return trial;
}

int fabric_trial_main(int argc, char** argv) {
  const World world(&argc, &argv);
  auto json = parse_json(argc > 2 ? argv[2] : "", "fabric trial");
  auto trial = json ? fabric_trial_from_json(*json, world.size())
                    : Result<FabricTrial>(fail(std::move(json).error()));
  if (!trial) {
    if (world.root()) std::fprintf(stderr, "topobench: %s\n", trial.error().text().c_str());
    return exit_status(trial.error().code);
  }
  Prober prober(world);
  if (!world.root()) {
    prober.serve();
    return 0;
  }
  const auto found = probe(*trial, prober);
  if (!found) {
    std::fprintf(stderr, "topobench: %s\n", found.error().text().c_str());
    return exit_status(found.error().code);
  }
  std::printf("%s\n", to_line(*found).c_str());
  std::fflush(stdout);
  return 0;
}

}  // namespace topolaunch::bench
