// SPDX-License-Identifier: Apache-2.0
#include "launcher/bench_job.h"

#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/commands.h"
#include "base/input_file.h"
#include "launcher/engine.h"
#include "launcher/engine/remote_start.h"
#include "launcher/report/summary.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

namespace {

/// What topobench said of its failure where nobody heard it: its line, not MPI's many.
std::string own_words(const Ending& ending) {
  if (ending.last_words.empty()) return "its own message stands above";
  std::istringstream lines(ending.last_words);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view own = "topobench: ";
    if (line.starts_with(own)) return line.substr(own.size());
    const bool of_the_table = line.empty() || line[0] == '#' || line[0] == ' ';
    if (first.empty() && !of_the_table) first = line;
  }
  return first;
}

}  // namespace

Result<std::string> find_topobench(const Outside& outside) {
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  if (const auto named = outside.environment.get("TOPOLAUNCH_TOPOBENCH");
      named && !named->empty()) {
    auto found = find_executable(*named, path);
    if (!found) {
      return fail(Code::unavailable, "TOPOLAUNCH_TOPOBENCH: " + found.error().message,
                  "correct or unset it");
    }
    return found;
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const auto folder = self.parent_path();
    for (const auto& candidate : {folder / "topobench", folder.parent_path() / "bench/topobench"}) {
      if (auto found = find_executable(candidate.string(), path)) return found;
    }
  }
  if (auto found = find_executable("topobench", path)) return found;
  return fail(Code::unavailable, "topobench was not found (it needs MPI to be built)",
              "apt-get install libopenmpi-dev openmpi-bin, build again");
}

Result<Plan> bench_plan(const Plan& plan, const BenchWish& wish, const Outside& outside) {
  auto topobench = find_topobench(outside);
  if (!topobench) return fail(std::move(topobench).error());
  Plan bench = plan;
  if (bench.engine == "local") {
    bench.engine = "mpirun";
    bench.engine_args.clear();
    bench.engine_why = "topobench is an MPI program";
  }
  bench.command = {*topobench};
  bench.command.insert(bench.command.end(), wish.arguments.begin(), wish.arguments.end());
  bench.command.insert(bench.command.end(),
                       {"--expect-ranks", std::to_string(plan.ranks.size()), "--json",
                        wish.show_table ? wish.json_file : "-"});
  bench.executable = *topobench;
  // The job's own stdout and stderr must stay the job's alone; why a measurement failed is in the
  // ending.
  bench.unheard = !wish.show_table;
  bench.input = wish.input.value_or(std::string());  // the job's own is the job's
  // NCCL's rank 0 writes it, unless the user wants it elsewhere.
  if (constexpr const char* kDump = "NCCL_TOPO_DUMP_FILE";
      !wish.nccl_topology.empty() && !bench.ranks.empty() && !outside.environment.has(kDump)) {
    bench.ranks.front().environment.try_emplace(kDump, wish.nccl_topology);
  }
  bench.time_limit = wish.limit;
  bench.grace = Seconds(2);
  bench.tag = Plan::Tag::none;
  bench.quiet = true;  // what a rank of topobench fails with is told; mpirun's lines add nothing
  bench.log_directory.clear();
  bench.strict = false;
  return bench;
}

namespace {

constexpr std::size_t kMostTable = std::size_t{1} << 20;

/// A folder of our own, which goes when we do.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const Environment& environment)
      : path_(environment.get_or("TMPDIR", "/tmp") + "/topolaunch-measure-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a plan of topobench to its end. `wrong_elements`: status 80 is an answer, too, and `said`
/// what it said with it.
Status run_to_end(const Plan& bench, const BenchWish& wish, const Outside& outside,
                  bool& wrong_elements, std::string& said) {
  BenchCharge* const charge = wish.charge;
  auto engine = make_engine(bench.engine);
  if (!engine) return fail(std::move(engine).error());
  quota::RunHold* const hold = charge != nullptr ? charge->hold : nullptr;
  if (hold != nullptr) {
    if (Status ok = hold->start(); !ok) return fail(std::move(ok).error().within("quota"));
  }
  auto run = (*engine)->start(bench, outside);
  if (!run) {
    if (hold != nullptr) static_cast<void>(hold->settle(Seconds(0), "not_started"));
    return fail(std::move(run).error());
  }
  auto ending = (*run)->wait([&](Seconds elapsed) {
    if (wish.progress) {
      const auto table = outside.files.read(bench.log_directory + "/rank-0.err", kMostTable);
      wish.progress(elapsed, reached_by(table.value_or(std::string())));
    }
    return hold != nullptr ? hold->heartbeat(elapsed) : std::string();
  });
  if (!ending) return fail(std::move(ending).error());
  if (hold != nullptr) {
    charge->charged = hold->settle(
        ending->elapsed, ending->exit_status == 0 ? "ok" : std::string(ended_by_name(ending->by)));
  }
  if (ending->by == Ending::By::interrupt) {
    return fail(Code::interrupted, "interrupted while measuring");
  }
  if (ending->by == Ending::By::signal) {
    // 128 + n, as for a job that a signal ended; the signals have no codes of their own.
    return fail(static_cast<Code>(ending->exit_status), ending->cause + " while measuring");
  }
  if (ending->by == Ending::By::time_limit) {
    return fail(Code::could_not_test, "topobench did not end within " + to_text(wish.limit),
                "on a busy machine try again, or --validate off");
  }
  if (ending->first_failure && ending->first_failure->signal == SIGPIPE) {
    return fail(static_cast<Code>(kNobodyReads), "nobody reads standard output any more");
  }
  wrong_elements = ending->exit_status == exit_status(Code::validation_failed);
  if (wrong_elements) said = own_words(*ending);
  if (ending->exit_status != 0 && !wrong_elements) {
    std::string why = "topobench ended with " + std::to_string(ending->exit_status);
    if (!ending->cause.empty()) why += " (" + ending->cause + ")";
    const bool usage = ending->exit_status == exit_status(Code::wrong_usage);
    return fail(usage ? Code::wrong_usage : Code::could_not_test, why, own_words(*ending));
  }
  return {};
}

tl::unexpected<Error> counted_others(const std::string& said) {
  return fail(Code::validation_failed, "topobench counted other ranks or devices than planned",
              said);
}

/// What rank 0 of a plan that nobody hears prints: through a file of ours, as the engine brings it
/// from whichever host rank 0 is on.
Result<std::string> words_of(Plan& bench, const BenchWish& wish, const Outside& outside) {
  const TemporaryFolder folder(outside.environment);
  if (folder.path().empty()) return fail(Code::could_not_test, "no folder for a measurement");
  bench.log_directory = folder.path();
  bool wrong_elements = false;
  std::string said;
  if (Status ok = run_to_end(bench, wish, outside, wrong_elements, said); !ok) {
    return fail(std::move(ok).error());
  }
  auto words = outside.files.read(folder.path() + "/rank-0.out", std::size_t{64} << 20);
  if (words && !words->empty()) return words;
  if (wrong_elements) return counted_others(said);
  return fail(Code::could_not_test, "topobench said nothing");
}

}  // namespace

std::string reached_by(std::string_view table) {
  std::int64_t size = -1;
  while (!table.empty()) {
    const auto end = std::min(table.find('\n'), table.size());
    std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    std::int64_t bytes = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), bytes);
    if (error == std::errc{} && stop != line.data() + line.size() && *stop == ' ') size = bytes;
  }
  return size < 0 ? std::string() : "up to " + to_text(Bytes(size));
}

Result<Json> topobench_document(const Plan& plan, const BenchWish& wish, const Outside& outside) {
  auto bench = bench_plan(plan, wish, outside);
  if (!bench) return fail(std::move(bench).error());
  bench->command = {bench->executable};
  bench->command.insert(bench->command.end(), wish.arguments.begin(), wish.arguments.end());
  auto words = words_of(*bench, wish, outside);
  if (!words) return fail(std::move(words).error());
  // MPI may have said something before.
  const auto begin = std::min(words->find("{\"schema\""), words->size());
  auto json = parse_json(std::string_view(*words).substr(begin), "topobench's answer");
  if (!json)
    return fail(Code::could_not_test, "topobench gave no " + wish.arguments.front() + " document");
  return json;
}

Result<bench::Measurement> measure(const Plan& plan, const BenchWish& wish,
                                   const Outside& outside) {
  BenchWish possible = wish;
  possible.show_table = wish.show_table && hosts_elsewhere(plan).empty();
  auto bench = bench_plan(plan, possible, outside);
  if (!bench) return fail(std::move(bench).error());
  Result<std::string> text;
  std::string file = "topobench's answer";
  if (possible.show_table) {
    bool wrong_elements = false;
    std::string said;
    if (Status ok = run_to_end(*bench, possible, outside, wrong_elements, said); !ok) {
      return fail(std::move(ok).error());
    }
    // 80 with a file: measured, and elements were wrong, which is for validate to say.
    file = wish.json_file;
    if (wrong_elements && !outside.files.exists(file)) return counted_others(said);
    text = read_input(outside.files, file);
  } else {
    text = words_of(*bench, possible, outside);
  }
  if (!text) return fail(std::move(text).error());
  const auto begin = std::min(text->find('{'), text->size());  // MPI may have said something before
  return bench::measurement_from_text(std::string_view(*text).substr(begin), file);
}

}  // namespace topolaunch::launcher
