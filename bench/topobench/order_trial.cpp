// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/order_trial.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <memory>
#include <set>
#include <utility>

namespace topolaunch::bench {
namespace {

constexpr int kTag = 7;
/// Of one phase, to send; as many are received.
constexpr long long kMostBytes = 1LL << 30;
constexpr std::size_t kMostText = std::size_t{256} << 20;

/// One of each for all phases and orders of a process, as they come one after the other.
struct Buffers {
  std::vector<char> send, receive;
  void hold(std::size_t bytes) {
    if (send.size() >= bytes) return;
    send.resize(bytes);
    receive.resize(bytes);
  }
};

/// A process's part in one phase in one order.
class PhaseRun {
 public:
  /// `job` holds the job's ranks in order; MPI_COMM_NULL where this process sits out.
  PhaseRun(const OrderTrial::Phase& phase, MPI_Comm job, Buffers& buffers)
      : phase_(phase), job_(job), buffers_(buffers) {
    if (job == MPI_COMM_NULL) return;
    MPI_Comm_rank(job, &rank_);
    if (phase.collective == "pairs") {
      std::size_t most = 0;
      for (const auto& pair : phase.pairs) {
        if (pair[0] != rank_ && pair[1] != rank_) continue;
        mine_.push_back(&pair);
        most += static_cast<std::size_t>(pair[2]) + 2;
      }
      buffers_.hold(most);
      return;
    }
    int color = MPI_UNDEFINED;
    int key = 0;
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
      const auto& members = phase.groups[g];
      const auto at = std::ranges::find(members, rank_);
      if (at == members.end()) continue;
      color = static_cast<int>(g);
      key = static_cast<int>(at - members.begin());
    }
    MPI_Comm_split(job, color, key, &group_);
    if (group_ == MPI_COMM_NULL) return;
    MPI_Comm_rank(group_, &member_);
    MPI_Comm_size(group_, &members_);
    // Whole elements for every member, so that all collectives divide evenly.
    const long long size = members_;
    const long long each = std::max(1LL, phase.bytes / 4 / size);
    count_ = static_cast<int>(std::min<long long>(each, INT_MAX / size));
    buffers_.hold(static_cast<std::size_t>(count_) * static_cast<std::size_t>(size) * 4);
  }
  PhaseRun(const PhaseRun&) = delete;
  PhaseRun& operator=(const PhaseRun&) = delete;
  ~PhaseRun() {
    if (group_ != MPI_COMM_NULL) MPI_Comm_free(&group_);
  }

  void run() {
    if (phase_.collective == "pairs") return run_pairs();
    if (group_ == MPI_COMM_NULL || members_ < 2) return;
    const int all = count_ * members_;
    void* const send = buffers_.send.data();
    void* const receive = buffers_.receive.data();
    const std::string& what = phase_.collective;
    if (what == "allreduce") {
      MPI_Allreduce(send, receive, all, MPI_FLOAT, MPI_SUM, group_);
    } else if (what == "allgather") {
      MPI_Allgather(send, count_, MPI_FLOAT, receive, count_, MPI_FLOAT, group_);
    } else if (what == "reduce_scatter") {
      MPI_Reduce_scatter_block(send, receive, count_, MPI_FLOAT, MPI_SUM, group_);
    } else if (what == "alltoall") {
      MPI_Alltoall(send, count_, MPI_FLOAT, receive, count_, MPI_FLOAT, group_);
    } else if (what == "broadcast") {
      MPI_Bcast(send, all, MPI_FLOAT, 0, group_);
    } else if (what == "ring") {
      MPI_Sendrecv(send, all, MPI_FLOAT, (member_ + 1) % members_, kTag, receive, all, MPI_FLOAT,
                   (member_ + members_ - 1) % members_, kTag, group_, MPI_STATUS_IGNORE);
    } else {
      run_path(all / 2);
    }
  }

 private:
  /// On to the next and, with as much, back: a pipeline's activations and gradients.
  void run_path(int half) {
    const int next = member_ + 1 < members_ ? member_ + 1 : MPI_PROC_NULL;
    const int previous = member_ > 0 ? member_ - 1 : MPI_PROC_NULL;
    for (const auto& [to, from] : {std::pair(next, previous), std::pair(previous, next)}) {
      MPI_Sendrecv(buffers_.send.data(), half, MPI_FLOAT, to, kTag, buffers_.receive.data(), half,
                   MPI_FLOAT, from, kTag, group_, MPI_STATUS_IGNORE);
    }
  }

  void run_pairs() {
    if (job_ == MPI_COMM_NULL) return;
    std::vector<MPI_Request> requests;
    std::size_t at = 0;
    for (const auto* const pair : mine_) {
      const int peer = static_cast<int>((*pair)[0] == rank_ ? (*pair)[1] : (*pair)[0]);
      const int half = static_cast<int>(std::min<long long>((*pair)[2] / 2, INT_MAX));
      requests.resize(requests.size() + 2);
      MPI_Irecv(buffers_.receive.data() + at, half, MPI_BYTE, peer, kTag, job_, &requests.end()[-2]);
      MPI_Isend(buffers_.send.data() + at, half, MPI_BYTE, peer, kTag, job_, &requests.end()[-1]);
      at += static_cast<std::size_t>(half);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  const OrderTrial::Phase& phase_;
  MPI_Comm job_, group_ = MPI_COMM_NULL;
  int rank_ = 0, member_ = 0, members_ = 1, count_ = 0;
  std::vector<const std::vector<long long>*> mine_;
  Buffers& buffers_;
};

/// One order: the job's ranks as a communicator, and its phases.
class OrderRun {
 public:
  OrderRun(const OrderTrial& trial, const std::vector<int>& order, Buffers& buffers) {
    int process = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    const auto at = std::ranges::find(order, process);
    const bool takes_part = at != order.end();
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED,
                   static_cast<int>(at - order.begin()), &job_);
    for (const auto& phase : trial.phases) {
      phases_.push_back(std::make_unique<PhaseRun>(phase, job_, buffers));
    }
  }
  OrderRun(const OrderRun&) = delete;
  OrderRun& operator=(const OrderRun&) = delete;
  ~OrderRun() {
    phases_.clear();
    if (job_ != MPI_COMM_NULL) MPI_Comm_free(&job_);
  }

  /// Seconds of one step, the slowest process's; the same number on all of them.
  double step() {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (const auto& phase : phases_) phase->run();
    const double mine = MPI_Wtime() - start;
    double slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
  }

 private:
  MPI_Comm job_ = MPI_COMM_NULL;
  std::vector<std::unique_ptr<PhaseRun>> phases_;
};

tl::unexpected<Error> wrong(std::string what) {
  return fail(Code::wrong_usage, "order trial: " + std::move(what));
}

void measure(const OrderTrial& trial) {
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  Buffers buffers;
  std::vector<std::unique_ptr<OrderRun>> orders;
  for (const auto& order : trial.orders) {
    orders.push_back(std::make_unique<OrderRun>(trial, order, buffers));
  }
  std::vector<std::vector<double>> seconds(orders.size());
  const double begin = MPI_Wtime();
  double longest_round = 0;
  for (int round = 0; round < trial.most_rounds; ++round) {
    const double start = MPI_Wtime();
    int more = round == 0 || start - begin + longest_round <= trial.seconds ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (more == 0) break;
    // Every second round the other way round: what drifts meets both alike.
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const std::size_t o = round % 2 == 0 ? i : orders.size() - 1 - i;
      seconds[o].push_back(orders[o]->step());
    }
    longest_round = std::max(longest_round, MPI_Wtime() - start);
  }
  if (process == 0) {
    Json json;
    json["schema"] = "topobench.orders/1";
    json["backend"] = "mpi host memory";
    json["seconds"] = seconds;
    std::printf("%s\n", to_line(json).c_str());
    std::fflush(stdout);
  }
}

}  // namespace

Result<OrderTrial> order_trial_from_json(const Json& json, int processes) {
  static const std::set<std::string> kKnown{"allreduce", "allgather", "reduce_scatter", "alltoall",
                                            "broadcast", "path",      "ring",           "pairs"};
  OrderTrial trial;
  try {
    trial.orders = json.at("orders").get<std::vector<std::vector<int>>>();
    trial.seconds = json.value("seconds", trial.seconds);
    trial.most_rounds = json.value("most_rounds", trial.most_rounds);
    for (const Json& one : json.at("phases")) {
      OrderTrial::Phase phase;
      phase.collective = one.at("collective").get<std::string>();
      phase.bytes = one.value("bytes", 0LL);
      if (one.contains("groups")) phase.groups = one["groups"].get<decltype(phase.groups)>();
      if (one.contains("pairs")) phase.pairs = one["pairs"].get<decltype(phase.pairs)>();
      trial.phases.push_back(std::move(phase));
    }
  } catch (const Json::exception& error) {
    return wrong(error.what());
  }
  if (trial.orders.empty()) return wrong("no order");
  const std::size_t ranks = trial.orders.front().size();
  for (const auto& order : trial.orders) {
    const std::set<int> once(order.begin(), order.end());
    if (order.empty() || order.size() != ranks || once.size() != ranks || *once.begin() < 0 ||
        *once.rbegin() >= processes) {
      return wrong("an order that does not name each of its processes once");
    }
  }
  const auto is_rank = [&](long long r) { return r >= 0 && static_cast<std::size_t>(r) < ranks; };
  for (const auto& phase : trial.phases) {
    if (!kKnown.contains(phase.collective)) return wrong("no collective '" + phase.collective + "'");
    if (phase.bytes > kMostBytes) return wrong("a phase of more than 1 GiB");
    std::set<int> seen;
    for (const auto& group : phase.groups) {
      for (const int rank : group) {
        if (!is_rank(rank) || !seen.insert(rank).second) {
          return wrong("a rank is in two groups of a phase, or is none");
        }
      }
    }
    std::vector<long long> of_rank(ranks, 0);
    for (const auto& pair : phase.pairs) {
      if (pair.size() != 3 || !is_rank(pair[0]) || !is_rank(pair[1]) || pair[0] == pair[1] ||
          pair[2] < 0) {
        return wrong("a pair that is none");
      }
      for (const std::size_t end : {0U, 1U}) {
        long long& bytes = of_rank[static_cast<std::size_t>(pair[end])];
        if (pair[2] > kMostBytes - bytes) return wrong("a rank's pairs have more than 1 GiB");
        bytes += pair[2];
      }
    }
  }
  return trial;
}

namespace {

/// Rank 0's standard input, on all ranks.
std::string shared_input() {
  std::string text;
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  if (process == 0) {
    std::array<char, 65536> part;
    while (text.size() < kMostText) {
      const std::size_t n = std::fread(part.data(), 1, part.size(), stdin);
      if (n == 0) break;
      text.append(part.data(), n);
    }
  }
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

}  // namespace

int order_trial_main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int status = 0;
  const std::string given = argc > 2 ? argv[2] : "";
  auto json = parse_json(given == "-" ? shared_input() : given, "order trial");
  auto trial = json ? order_trial_from_json(*json, processes)
                    : Result<OrderTrial>(fail(std::move(json).error()));
  if (trial) {
    measure(*trial);
  } else {
    std::fprintf(stderr, "topobench: %s\n", trial.error().text().c_str());
    status = exit_status(trial.error().code);
  }
  MPI_Finalize();
  return status;
}

}  // namespace topolaunch::bench
