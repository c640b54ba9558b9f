// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/session.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/cpu_set.h"
#include "base/files.h"
#include "bench/device/host.h"
#include "bench/subject/mpi_host.h"
#include "bench/subject/nccl.h"
#include "bench/table.h"
#include "bench/topobench/feasibility.h"

namespace topolaunch::bench {
namespace {

constexpr Seconds kPatience{10.0};  ///< with a GPU that somebody else computes on

std::string allowed_cpus() {
  CpuSet cpus;
  // The kernel's mask may be longer than cpu_set_t on large machines: ask for CpuSet's most.
  std::vector<cpu_set_t> masks(CpuSet::kMaxCpu / CPU_SETSIZE);
  const std::size_t bytes = masks.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, masks.data()) != 0) return {};
  for (int cpu = 0; cpu < CpuSet::kMaxCpu; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, masks.data())) cpus.add(cpu);
  }
  return cpus.to_list();
}

/// The failure on all ranks; does not return where it is this rank's alone.
Status common(const World& world, TrialFailure failure) {
  if (!failure.everybody) {
    std::fprintf(stderr, "topobench: rank %d on %s: %s\n", world.rank(), host_name().c_str(),
                 failure.error.text().c_str());
    std::_Exit(exit_status(failure.error.code));
  }
  return fail(std::move(failure.error));
}

Json groups_to_wire(const GroupResult& group) {
  Measurement one;
  one.groups.push_back(group);
  return to_json(one);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

void Session::print(const std::string& text) const {
  if (!world_.root() || options_.quiet) return;
  std::FILE* const where = options_.json_file == "-" ? stderr : stdout;
  std::fputs(text.c_str(), where);
  std::fflush(where);
}

Status Session::choose_device() {
  auto choice = choose_backend(world_, options_.subject);
  if (!choice) return fail(std::move(choice).error());
  choice_ = std::move(*choice);
  if (!choice_.nccl) {
    device_ = std::make_unique<HostDevice>(allowed_cpus());
    return {};
  }
  auto index = gpu_of_rank(look_for_nccl().gpus, environment_);
  auto gpu = index ? open_gpu(*index) : Result<std::unique_ptr<DevicePort>>(fail(index.error()));
  if (gpu) device_ = std::move(*gpu);
  return world_.agree(gpu ? Status{} : Status(fail(gpu.error())));
}

Status Session::take_census() {
  Participant me;
  me.device.rank = world_.rank();
  me.device.pid = static_cast<int>(getpid());
  me.device.host = host_name();
  me.device.device = device_->address();
  me.device.info = device_->info();
  me.device.index = device_->index();
  me.device.cpus = allowed_cpus();
  me.device.leaf = environment_.get_or("TOPOLAUNCH_LEAF", "");
  me.coordinates = coordinates_from(environment_);
  const auto boot = RootedFiles().read("/proc/sys/kernel/random/boot_id", 256);
  me.host_key = me.device.host + " " + boot.value_or("");
  Status mine;
  for (const std::string& text : world_.gather(to_wire(me))) {
    auto participant = participant_from_wire(text);
    if (participant) {
      participants_.push_back(std::move(*participant));
    } else if (mine) {
      mine = fail(std::move(participant).error());
    }
  }
  if (auto all = world_.agree(mine); !all) return all;
  m_.ranks = world_.size();
  m_.hosts = count_hosts(participants_);
  for (const Participant& p : participants_) m_.devices.push_back(p.device);
  for (std::string& note : census_notes(participants_)) m_.notes.push_back(std::move(note));
  // The same answer on all ranks, since all look at the same table.
  return check_census(participants_, expected_ranks(options_.expect_ranks, environment_));
}

Result<std::unique_ptr<Subject>> Session::make_subject(const World& ranks) {
  deadline_.step({.phase = "making the communicator"});
  if (!choice_.nccl) {
    const MpiWay way = mpi_way_named(options_.subject).value_or(MpiWay::library);
    return make_mpi_subject(way, *device_, ranks.comm());
  }
  auto made = make_nccl_subject(*device_, ranks.comm(), {.graph = options_.graph});
  if (auto all = world_.agree(made ? Status{} : Status(fail(made.error()))); !all) {
    return fail(std::move(all).error());
  }
  return made;
}

/// Waits for this rank's GPU to be idle and watches it from then on. All ranks go on together: the
/// communicator that comes next is made by all of them.
void Session::watch_gpu() {
  if (!choice_.nccl) return;
  deadline_.step({.phase = "waiting for an idle GPU"});
  auto monitor = topo::GpuMonitor::open(device_->address());
  if (!monitor) {
    if (world_.root()) m_.notes.push_back("clocks and load of the GPUs are not recorded: " + monitor.error().message);
    return;
  }
  watch_ = std::make_unique<GpuWatch>([m = std::move(*monitor)] { return m.look(); });
  watch_->wait_until_idle(kPatience);
  watch_->begin();
}

Status Session::end_watch() {
  if (!choice_.nccl) return {};
  std::string mine;
  if (watch_) {
    GpuRecord record = watch_->end();
    record.rank = world_.rank();
    mine = to_line(to_json(record));
  }
  for (const std::string& text : world_.gather(mine)) {
    if (text.empty()) continue;
    const auto json = parse_json(text, "another rank's answer");
    auto record = json ? gpu_record_from_json(*json, "another rank's answer") : Result<GpuRecord>(fail(json.error()));
    if (!record) return fail(std::move(record).error());
    const Device& device = m_.devices[static_cast<std::size_t>(record->rank)];
    for (std::string& note : notes_on(*record, device.device + " on " + device.host)) {
      print("# note: " + note + "\n");  // the header with the others is long out
      m_.notes.push_back(std::move(note));
    }
    m_.gpus.push_back(std::move(*record));
  }
  return {};
}

Status Session::find_groups() {
  std::vector<RankFacts> facts;
  for (const Participant& p : participants_) {
    facts.push_back({p.host_key, p.device.local_rank, p.device.leaf, p.coordinates});
  }
  auto groups = groups_of(options_, facts);
  if (!groups) return fail(std::move(groups).error());
  groups_ = std::move(*groups);
  return {};
}

Status Session::measure_groups() {
  for (const Grouping& axis : groups_) {
    const int mine = axis.group_of[static_cast<std::size_t>(world_.rank())];
    const World group = world_.split(mine);
    auto subject = make_subject(group);
    if (!subject) return fail(std::move(subject).error());
    auto results = run_trial({world_, group}, **subject, options_.trial, deadline_);
    if (!results) return common(world_, std::move(results).error());
    // The first rank of each group speaks for it.
    GroupResult spoken{axis.axis, mine, {}, std::move(*results)};
    std::vector<GroupResult> groups;
    for (const std::string& text :
         world_.gather(group.root() ? to_line(groups_to_wire(spoken)) : "")) {
      if (text.empty()) continue;
      auto json = parse_json(text, "another rank's answer");
      auto one = json ? measurement_from_json(*json, "another rank's answer")
                      : Result<Measurement>(fail(json.error()));
      if (!one) return fail(std::move(one).error());
      groups.push_back(std::move(one->groups.front()));
    }
    for (std::size_t rank = 0; rank < axis.group_of.size(); ++rank) {
      for (GroupResult& g : groups) {
        if (g.index == axis.group_of[rank]) g.ranks.push_back(static_cast<int>(rank));
      }
    }
    print(table_of_groups(groups));
    for (GroupResult& g : groups) m_.groups.push_back(std::move(g));
  }
  return {};
}

Status Session::measure_pairs(Subject& subject) {
  std::vector<int> ranks;
  for (const Participant& p : participants_) {
    if (!options_.pairs->per_host || p.device.local_rank == 0) ranks.push_back(p.device.rank);
  }
  if (ranks.size() < 2) {
    m_.notes.emplace_back("--pairs: fewer than two to pair");
    return {};
  }
  const bool terminal = world_.root() && isatty(STDERR_FILENO) != 0 && !options_.quiet;
  const auto progress = [&](std::size_t done, std::size_t all) {
    if (!terminal) return;
    std::fprintf(stderr, "\r%s",
                 done == all ? "\033[K" : fmt::format("pairs {}/{} ", done, all).c_str());
    std::fflush(stderr);
  };
  auto pairs = run_pairs(world_, subject, *options_.pairs, ranks, deadline_, progress);
  if (!pairs) return common(world_, std::move(pairs).error());
  m_.pairs = std::move(*pairs);
  print(table_of_pairs(m_));
  return {};
}

Status Session::write() {
  Status written;
  if (world_.root() && options_.json_file == "-") {
    std::fputs(to_pretty(to_json(m_)).c_str(), stdout);
  } else if (world_.root() && !options_.json_file.empty()) {
    written = write_file(options_.json_file, to_pretty(to_json(m_)));
  }
  return world_.agree(written);
}

Status Session::measure(std::vector<std::string> arguments) {
  const SystemClock clock;
  const auto began = std::chrono::steady_clock::now();
  m_.start_time = iso8601(clock.unix_seconds());
  m_.arguments = std::move(arguments);
  m_.collective = name_of(options_.trial.collective);

  deadline_.step({.phase = "looking for GPUs"});
  if (auto s = choose_device(); !s) return s;
  deadline_.step({.phase = "counting ranks and devices"});
  if (auto s = take_census(); !s) return s;
  if (auto s = find_groups(); !s) return s;
  watch_gpu();
  auto subject = make_subject(world_);
  if (!subject) return fail(std::move(subject).error());
  m_.backend = (*subject)->backend();
  m_.backend_version = (*subject)->version();
  m_.backend_why = choice_.why;
  m_.configuration = {
      options_.sweep.minimum.count(),   options_.sweep.maximum.count(),
      options_.sweep.step.count(),      options_.sweep.step.count() > 0 ? 0 : options_.sweep.factor,
      options_.trial.warmup_iterations, options_.trial.iterations,
      options_.trial.check_iterations,  options_.graph && choice_.nccl};
  if (world_.size() == 1) {
    m_.notes.emplace_back("one rank: nothing is communicated, and busbw is 0");
  }
  if (options_.trial.over_ranks != OverRanks::slowest) {
    constexpr const char* kWhose[] = {"rank 0's", "the mean over ranks", "the fastest rank's"};
    m_.notes.push_back(fmt::format("-a {0}: a run's time is {1}, not the slowest rank's",
                                   static_cast<int>(options_.trial.over_ranks),
                                   kWhose[static_cast<int>(options_.trial.over_ranks)]));
  }
  if (options_.graph && !choice_.nccl) {
    m_.notes.emplace_back("-G does nothing here: host memory has no CUDA graphs");
  }
  if (!(*subject)->defines_in_place(options_.trial.collective)) {
    m_.notes.emplace_back("in place is timed and not checked: the library leaves it undefined");
  }
  print(table_header(m_));
  std::int64_t own_wrong = 0;
  auto results = run_trial(
      {world_, world_}, **subject, options_.trial, deadline_,
      [&](const SizeResult& result) { print(table_row(result)); }, &own_wrong);
  if (!results) return common(world_, std::move(results).error());
  if (world_.sum(own_wrong) > 0) {
    for (const std::string& count : world_.gather(std::to_string(own_wrong))) {
      m_.wrong_by_rank.push_back(std::stoll(count));
    }
  }
  m_.results = std::move(*results);
  if (!m_.results.empty() && m_.results.back().size < options_.trial.sizes.back() &&
      options_.trial.size_limit.count() > 0) {
    m_.notes.push_back(fmt::format("no size above {}: one run of it takes longer than {} (--size-time)",
                                   topolaunch::to_text(Bytes(m_.results.back().size)),
                                   topolaunch::to_text(options_.trial.size_limit)));
  }
  if (auto s = measure_groups(); !s) return s;
  if (options_.pairs) {
    if (auto s = measure_pairs(**subject); !s) return s;
  }
  if (auto s = end_watch(); !s) return s;
  summarise(m_);
  m_.elapsed = std::chrono::steady_clock::now() - began;
  m_.end_time = iso8601(clock.unix_seconds());
  print(table_footer(m_));
  deadline_.step({.phase = "writing the measurement"});
  if (auto s = write(); !s) return s;
  // The count is the same on all ranks but for groups, whose roots alone told rank 0.
  const std::int64_t wrong = world_.sum(world_.root() ? std::max<std::int64_t>(m_.wrong, 0) : 0);
  if (wrong > 0) {
    return fail(Code::validation_failed, fmt::format("{} elements were wrong", wrong),
                "don't trust a result of this machine before it is known why");
  }
  return {};
}

}  // namespace topolaunch::bench
