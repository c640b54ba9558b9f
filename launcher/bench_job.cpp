// SPDX-License-Identifier: Apache-2.0
#include "launcher/bench_job.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/commands.h"
#include "launcher/engine.h"

namespace topolaunch::launcher {

Result<std::string> find_topobench(const Outside& outside) {
  const std::string path = outside.environment.get_or("PATH", "/usr/bin:/bin");
  if (const auto named = outside.environment.get("TOPOLAUNCH_TOPOBENCH"); named && !named->empty()) {
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
                        wish.json_file});
  bench.executable = *topobench;
  if (!wish.show_table) {
    // The job's own stdout must stay the job's alone.
    std::vector<std::string> quiet{"/bin/sh", "-c", "exec \"$@\" >/dev/null", "topobench"};
    quiet.insert(quiet.end(), bench.command.begin(), bench.command.end());
    bench.command = std::move(quiet);
    bench.executable = "/bin/sh";
  }
  bench.time_limit = wish.limit;
  bench.grace = Seconds(2);
  bench.tag = Plan::Tag::none;
  bench.log_directory.clear();
  bench.strict = false;
  return bench;
}

Result<bench::Measurement> measure(const Plan& plan, const BenchWish& wish,
                                   const Outside& outside) {
  auto bench = bench_plan(plan, wish, outside);
  if (!bench) return fail(std::move(bench).error());
  auto engine = make_engine(bench->engine);
  if (!engine) return fail(std::move(engine).error());
  auto run = (*engine)->start(*bench, outside);
  if (!run) return fail(std::move(run).error());
  auto ending = (*run)->wait([](Seconds) { return std::string(); });
  if (!ending) return fail(std::move(ending).error());
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
  // 80 with a file: measured, and elements were wrong, which is for validate to say.
  const bool wrong_elements = ending->exit_status == exit_status(Code::validation_failed) &&
                              outside.files.exists(wish.json_file);
  if (ending->exit_status == exit_status(Code::validation_failed) && !wrong_elements) {
    return fail(Code::validation_failed, "topobench counted other ranks or devices than planned",
                "its own message stands above");
  }
  if (ending->exit_status != 0 && !wrong_elements) {
    std::string why = "topobench ended with " + std::to_string(ending->exit_status);
    if (!ending->cause.empty()) why += " (" + ending->cause + ")";
    return fail(Code::could_not_test, why, "its own message stands above");
  }
  auto text = outside.files.read(wish.json_file);
  if (!text) return fail(std::move(text).error());
  auto json = parse_json(*text, wish.json_file);
  if (!json) return fail(std::move(json).error());
  return bench::measurement_from_json(*json, wish.json_file);
}

}  // namespace topolaunch::launcher
