// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/world.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace topolaunch::bench {

World::World(int* argc, char*** argv) {
  // As most jobs do it. The deadline's thread makes no MPI call; to ask for MPI_THREAD_FUNNELED
  // because of it makes each small allreduce 0.3 us slower under Open MPI 4.1.4.
  MPI_Init(argc, argv);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

World::World(const World& all, int group) {
  MPI_Comm_split(all.comm_, group, all.rank_, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

World::~World() {
  if (comm_ == MPI_COMM_WORLD) {
    MPI_Finalize();
  } else {
    MPI_Comm_free(&comm_);
  }
}

void World::barrier() const { MPI_Barrier(comm_); }

void World::wait_asleep() const {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &all);
  // A test of MPI looks at every connection, tens of microseconds over TCP: many ranks that look
  // often keep a CPU busy between them. So the longer it lasts, the less often.
  using Microseconds = std::chrono::microseconds;
  constexpr Microseconds kShortest{200}, kLongest{4000};
  const auto start = std::chrono::steady_clock::now();
  for (int here = 0; here == 0;) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    if (here != 0) break;
    const auto waited = std::chrono::steady_clock::now() - start;
    std::this_thread::sleep_for(
        std::clamp(std::chrono::duration_cast<Microseconds>(waited / 8), kShortest, kLongest));
  }
}

void World::meet(int other) const {
  constexpr int kTag = 1;  // 0 is the subjects'
  MPI_Sendrecv(nullptr, 0, MPI_BYTE, other, kTag, nullptr, 0, MPI_BYTE, other, kTag, comm_,
               MPI_STATUS_IGNORE);
}

std::int64_t World::sum(std::int64_t mine) const {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm_);
  return all;
}

std::int64_t World::minimum(std::int64_t mine) const {
  std::int64_t all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, comm_);
  return all;
}

std::vector<double> World::over_ranks(const std::vector<double>& mine, OverRanks how) const {
  if (how == OverRanks::first) return mine;
  const MPI_Op op = how == OverRanks::slowest   ? MPI_MAX
                    : how == OverRanks::fastest ? MPI_MIN
                                                : MPI_SUM;
  std::vector<double> all(mine.size());
  MPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_DOUBLE, op, 0, comm_);
  if (how == OverRanks::mean) {
    for (double& one : all) one /= size_;
  }
  return all;
}

std::vector<std::string> World::gather(const std::string& mine) const {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<int> lengths(ranks), starts(ranks);
  const int length = static_cast<int>(mine.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm_);
  int total = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    starts[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                 comm_);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

Status World::agree(const Status& mine) const {
  const std::int64_t first = minimum(mine ? size_ : rank_);
  if (first == size_) return {};
  const auto bcast_text = [&](std::string text) {
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, static_cast<int>(first), comm_);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, static_cast<int>(first), comm_);
    return text;
  };
  const bool speak = rank_ == first;
  int code = speak ? exit_status(mine.error().code) : 0;
  MPI_Bcast(&code, 1, MPI_INT, static_cast<int>(first), comm_);
  // The file that is to blame, if any, goes into the message: one text less to send.
  const auto told = [&] {
    Error error = mine.error();
    error.next.clear();
    return error.text();
  };
  const std::string message = bcast_text(speak ? told() : "");
  const std::string next = bcast_text(speak ? mine.error().next : "");
  const std::string where = size_ > 1 ? "rank " + std::to_string(first) + ": " : "";
  return fail(static_cast<Code>(code), where + message, next);
}

}  // namespace topolaunch::bench
