// SPDX-License-Identifier: Apache-2.0
//
// A trial with a subject that does one thing wrong, for trial_test under mpirun:
//   faulty right | element | stale | twice | lazy | hang | fail
//   faulty seconds N     right, and rank r says that a run took r + 1 seconds; N = OverRanks
// Rank 0 prints "wrong N" (and "took S"); a failure and a step that doesn't end are printed by the rank they
// strike, which exits with 69 and 81.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "bench/device/host.h"
#include "bench/subject/mpi_host.h"
#include "bench/topobench/trial.h"

namespace topolaunch::bench {
namespace {

class Faulty final : public Subject {
 public:
  Faulty(std::unique_ptr<Subject> real, std::string fault, int rank, int ranks)
      : real_(std::move(real)), fault_(std::move(fault)), rank_(rank), last_(rank == ranks - 1) {}
  std::string backend() const override { return "faulty"; }
  std::string version() const override { return fault_; }
  DevicePort& device() override { return real_->device(); }
  bool does(Collective collective) const override { return real_->does(collective); }
  Status prepare(const Work& work) override {
    work_ = work;
    if (fault_ == "unprepared" && last_) return fail(Code::unavailable, "not ready");
    return real_->prepare(work);
  }
  Result<Seconds> run() override {
    ++runs_;
    const std::size_t bytes = work_.count * 4;
    if (fault_ == "hang" && last_ && runs_ == 2) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    if (fault_ == "fail" && last_ && runs_ == 2) return fail(Code::unavailable, "the cable is out");
    auto took = real_->run();
    if (fault_ == "seconds") return Seconds(rank_ + 1);
    auto* result = static_cast<unsigned char*>(work_.receive);
    if (fault_ == "element" && last_) result[bytes / 2 / 4 * 4] ^= 1;  // lowest bit of one element
    if (fault_ == "stale") {
      // Gives the result of the run before.
      std::string now(reinterpret_cast<char*>(result), bytes);
      if (before_.size() == bytes) std::memcpy(result, before_.data(), bytes);
      before_ = std::move(now);
    }
    if (fault_ == "twice" && last_ && !work_.in_place()) {
      // Its own contribution twice, nobody else's.
      auto* sum = static_cast<float*>(work_.receive);
      const auto* mine = static_cast<const float*>(work_.send);
      for (std::uint64_t i = 0; i < work_.count; ++i) sum[i] = 2 * mine[i];
    }
    if (fault_ == "lazy" && last_) std::memset(result + bytes / 2, 0, bytes / 2);
    return took;
  }

 private:
  std::unique_ptr<Subject> real_;
  std::string fault_, before_;
  Work work_;
  int rank_;
  bool last_;
  int runs_ = 0;
};

int run(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "right";
  Deadline deadline(Seconds(fault == "hang" ? 1.5 : 60), [](const Step& step, Seconds) {
    std::fprintf(stderr, "no end: %s\n", to_text(step).c_str());
    std::_Exit(81);
  });
  const World world(&argc, &argv);
  HostDevice host;
  Faulty subject(make_mpi_subject(MpiWay::library, host, world.comm()), fault, world.rank(), world.size());
  TrialOptions options;
  options.sizes = {4096};
  options.warmup_iterations = 1;
  options.iterations = 3;
  options.check_iterations = 2;
  if (argc > 2) options.over_ranks = static_cast<OverRanks>(std::atoi(argv[2]));
  const auto results = run_trial({world, world}, subject, options, deadline);
  if (!results) {
    if (world.root() || !results.error().everybody) {
      std::fprintf(stderr, "failed: %s\n", results.error().error.text().c_str());
    }
    if (!results.error().everybody) std::_Exit(exit_status(results.error().error.code));
    return exit_status(results.error().error.code);
  }
  if (world.root()) {
    std::printf("wrong %ld %ld\n", static_cast<long>(results->front().out_of_place.wrong),
                static_cast<long>(results->front().in_place.wrong));
    if (fault == "seconds") std::printf("took %g\n", results->front().out_of_place.time.count());
  }
  return 0;
}

}  // namespace
}  // namespace topolaunch::bench

int main(int argc, char** argv) { return topolaunch::bench::run(argc, argv); }
