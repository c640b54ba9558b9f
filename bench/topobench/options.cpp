// SPDX-License-Identifier: Apache-2.0
#include "bench/topobench/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/nearest_name.h"
#include "bench/topobench/option_words.h"

namespace topolaunch::bench {
namespace {

/// Options of nccl-tests (its README) with one value here, which says what is done anyway and is
/// taken: scripts have it. A `next` that ends with a blank goes on with the value that was given.
struct OneWay {
  const char *names, *value, *why, *next;
};
constexpr OneWay kOneWays[] = {
    {"-g,--ngpus", "1", "one rank is one GPU", "topolaunch bench -n "},
    {"-t,--nthreads", "1", "one rank is one thread", "topolaunch bench -n "},
    {"-m,--agg_iters", "1", "operations aren't aggregated: each one is timed", "leave it out"},
    {"-N,--run_cycles", "1", "one run is one cycle", "run it again instead"},
    {"-p,--parallel_init", "0", "a rank has one GPU to initialise", "leave it out"},
    {"-z,--blocking", "0", "runs are timed one by one, none waits inside", "leave it out"},
    {"-C,--report_cputime", "0", "times are those until the result is there", "leave it out"},
    {"-R,--local_register", "0", "buffer registration isn't there yet", "leave it out"},
    {"-D,--device_implementation", "0", "device kernels aren't there yet", "leave it out"},
};
constexpr std::size_t kWays = std::size(kOneWays);
using GivenWays = std::array<std::optional<std::string>, kWays>;

void add_one_ways(CLI::App& app, GivenWays& given) {
  for (std::size_t i = 0; i < kWays; ++i) {
    app.add_option(kOneWays[i].names, given[i])->group("");  // not in the help
  }
}

Status check_one_ways(const GivenWays& given) {
  for (std::size_t i = 0; i < kWays; ++i) {
    const OneWay& way = kOneWays[i];
    if (!given[i] || *given[i] == way.value) continue;
    std::string next = way.next;
    if (next.ends_with(' ')) next += *given[i];
    return fail(Code::wrong_usage,
                std::string(way.names, 2) + " " + *given[i] + ": " + way.why, next);
  }
  return {};
}

/// Options of nccl-tests that topobench doesn't have, so that they are refused by reason instead
/// of by likeness.
const char* known_elsewhere(const std::string& word) {
  static constexpr std::pair<const char*, const char*> kOthers[] = {
      {"-I", "times of each iteration are always kept: --json FILE"},
      {"-F", "--json FILE"},
      {"--output_file", "--json FILE"},
  };
  for (const auto& [name, why] : kOthers) {
    if (word == name) return why;
  }
  return nullptr;
}

Error unknown(const std::string& word, const CLI::App& app) {
  const std::string name = word.substr(0, word.find('='));
  Error error{Code::wrong_usage, "there is no option " + name, {}, {}, 0};
  if (!word.starts_with("-")) {
    error.message = "what is \"" + word + "\" for? topobench takes options only";
    const auto program = collective_named(word.substr(word.rfind('/') + 1));
    error.next = program ? std::string("--collective ") + name_of(*program) : "topobench --help";
    return error;
  }
  if (const char* why = known_elsewhere(name)) {
    error.next = why;
    return error;
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  }
  const std::string best = nearest_name(name, known);
  error.next = best.empty() ? "topobench --help" : "did you mean " + best + "?";
  return error;
}

}  // namespace

Result<CommandLine> parse_options(const std::vector<std::string>& arguments) {
  CommandLine line;
  Options& o = line.options;
  CLI::App app(
      "Times collectives and pairs of ranks of an MPI job: NCCL where every rank has a GPU, host "
      "memory over MPI elsewhere. Start it with mpirun or srun, or by `topolaunch bench`.",
      "topobench");
  app.set_help_flag("-h,--help", "This text");
  app.get_formatter()->column_width(34);
  // As getopt has it: a script's options first, then those of the day.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  bool version = false;
  app.add_flag("--version", version, "Print the version");

  OptionWords words;
  GivenWays ways;
  int graph = 0, over_ranks = static_cast<int>(o.trial.over_ranks);
  app.add_option("-b,--minbytes", words.minimum, "Smallest size: 8, 64K, 1M, 2G")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("-e,--maxbytes", words.maximum, "Largest size")
      ->type_name("SIZE")
      ->capture_default_str();
  CLI::Option* by_factor = app.add_option("-f,--stepfactor", o.sweep.factor,
                                          "Multiply by this from size to size")
                               ->type_name("N")
                               ->capture_default_str();
  CLI::Option* by_step =
      app.add_option("-i,--stepbytes", words.step, "Add this from size to size instead")
          ->type_name("SIZE");
  app.add_option("-n,--iters", o.trial.iterations, "Timed runs per size")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000).description(""));
  app.add_option("-w,--warmup_iters", o.trial.warmup_iterations, "Runs before those")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 10'000'000).description(""));
  app.add_option("-c,--check", o.trial.check_iterations, "Checked runs per size; 0 = no check")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000).description(""));
  app.add_option("-a,--average", over_ranks,
                 "A run's time over ranks: 0 rank 0's, 1 mean, 2 fastest, 3 slowest")
      ->type_name("0..3")
      ->default_str("3")
      ->check(CLI::Range(0, 3).description(""));
  app.add_option("-d,--datatype", words.type, "float or int32")
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option("-o,--op", words.operation, "sum, min or max")
      ->type_name("OP")
      ->capture_default_str();
  app.add_option("--collective", words.collective,
                 "allreduce, allgather, reduce_scatter, broadcast, reduce, alltoall or sendrecv")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("-r,--root", o.trial.root, "Rank that broadcasts, or is reduced to")
      ->type_name("RANK")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 18).description(""));
  app.add_option("--groups", words.groups,
                 "Groups side by side too: tp=2,dp=4, or host, leaf, rail")
      ->type_name("AXES");
  CLI::Option* by_pairs =
      app.add_option("--pairs", words.pairs,
                     "Every pair of ranks: all, or one-way,both-ways,concurrent,latency,local")
          ->type_name("WHAT")
          ->expected(0, 1)
          ->default_str("all");
  app.add_option("--pair-bytes", words.pair_size, "Size of a pair's messages (1M; 64M on GPUs)")
      ->type_name("SIZE")
      ->needs(by_pairs);
  app.add_flag("--pairs-per-host", words.pairs_per_host, "Pairs of hosts: the first rank of each")
      ->needs(by_pairs);
  app.add_option("-G,--cudagraph", graph, "1: NCCL through CUDA graphs")->type_name("0|1");
  app.add_flag("-q,--quiet", o.quiet, "No table");
  app.add_option("-T,--deadline,--timeout", words.deadline, "Limit on every step; 0 = none")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--size-time", words.size_time,
                 "Fewer runs where a size would take longer; 0 = as many as asked for")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("-J,--json", o.json_file, "Write the measurement there; - = stdout (table: stderr)")
      ->type_name("FILE");
  app.add_option("--subject", o.subject, "auto, nccl, mpi, ring or reference")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "nccl", "mpi", "ring", "reference"}).description(""));
  app.add_option("--expect-ranks", o.expect_ranks, "Refuse to measure with any other number")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 18).description(""));
  add_one_ways(app, ways);
  app.allow_extras();
  app.footer(
      "Sizes: K, M and G are powers of 1024. Times are medians over the runs; p50, p99 and raw times "
      "are in\nthe JSON. Exit status: 0, 64 wrong usage, 69 no backend, 80 "
      "wrong ranks, devices\nor elements, 81 a step didn't end.");

  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    line.text = app.help();
    return line;
  } catch (const CLI::ParseError& e) {
    return fail(Code::wrong_usage, e.what(), "topobench --help");
  }
  if (version) {
    line.text = "version";
    return line;
  }
  if (by_factor->count() > 0 && by_step->count() > 0) {
    return fail(Code::wrong_usage, "both --stepfactor and --stepbytes are given", "one of them");
  }
  if (const auto extras = app.remaining(); !extras.empty()) return fail(unknown(extras.front(), app));
  if (Status ok = check_one_ways(ways); !ok) return fail(std::move(ok).error());
  if (graph < 0 || graph > 1) {
    return fail(Code::wrong_usage,
                "-G " + std::to_string(graph) +
                    ": a graph holds one run here, and is launched for "
                    "every timed one",
                "-G 1 and -n for the number of runs, or -G 0");
  }
  o.graph = graph == 1;
  o.trial.over_ranks = static_cast<OverRanks>(over_ranks);
  words.with_pairs = by_pairs->count() > 0;
  if (Status read = read_words(words, o); !read) return fail(std::move(read).error());
  return line;
}

}  // namespace topolaunch::bench
