// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli_apps.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "base/commands.h"
#include "launcher/cli_options.h"
#include "quota/open_ledger.h"

namespace topolaunch::launcher {
namespace {

constexpr const char* kWhere = "Machine";
constexpr const char* kWhat = "Ranks and placement";
constexpr const char* kCompare = "Plans";
constexpr const char* kLaunch = "Launch";
constexpr const char* kQuota = "Quota";
constexpr const char* kCheck = "Checks";
constexpr const char* kOutput = "Output";

Result<std::vector<double>> distances(const std::string& value) {
  std::vector<double> out;
  std::istringstream stream(value);
  std::string one;
  while (std::getline(stream, one, ':')) {
    double number = 0;
    const auto [stop, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (error != std::errc{} || stop != one.data() + one.size() || !(number >= 0)) {
      return fail(Code::wrong_usage, "'" + value + "' is not a list of distances",
                  "write it like 1:10:100, innermost level first");
    }
    out.push_back(number);
  }
  return out;
}

void topology_options(CLI::App& app, TopologyOptions& o) {
  list(app, "--topology", o.topologies, "in place of this machine; repeatable", "FILE|SPEC",
       kWhere);
  // Behind --topology, whose values replace the list.
  parsed(
      app, "--distances",
      [&o](const std::string& value) -> Status {
        o.topologies.push_back(value);
        return {};
      },
      "distances between hosts: CSV, Matrix Market", "FILE", kWhere);
  parsed(
      app, "--distance",
      [&o](const std::string& value) -> Status {
        auto list_of = distances(value);
        if (!list_of) return fail(std::move(list_of).error());
        o.distance = std::move(*list_of);
        return {};
      },
      "of the levels of a \"tree:\" SPEC", "1:10:100", kWhere);
  text(app, "--link-rate", o.link_rate, "rates that a file does not have", "host=..,uplink=..",
       kWhere);
}

void host_options(CLI::App& app, TopologyOptions& o) {
  text(app, "--hosts", o.hosts, "hosts of the job: g[01-16]:8 or @hostfile", "LIST|@FILE", kWhere);
  flag(app, "--refresh", o.refresh, "ask hosts again what they are", kWhere);
  parsed(
      app, "--engine-args",
      [&o](const std::string& value) -> Status {
        auto words = shell_words(value);
        if (!words) return fail(std::move(words).error());
        o.engine_args = std::move(*words);
        return {};
      },
      "for mpirun; --mca plm_rsh_agent names the agent", "\"...\"", kWhere);
}

void job_options(CLI::App& app, JobOptions& o) {
  parsed(
      app, "-n,--ranks",
      [&o](const std::string& value) -> Status {
        auto n = whole_number(value, 1, 1 << 20);
        if (!n) return fail(std::move(n).error());
        o.ranks = static_cast<int>(*n);
        return {};
      },
      "how many (else one per visible GPU, else 1)", "N", kWhat);
  flag(app, "--oversubscribe", o.oversubscribe, "allow more ranks than seats", kWhat);
  text(app, "--parallel", o.parallel, "process groups: tp, pp, dp, cp, ep", "tp=8,dp=4", kWhat);
  text(app, "--order", o.order, "order of the groups, fastest first", "tp-cp-ep-dp-pp", kWhat);
  text(app, "--bytes", o.bytes, "bytes per step of each group", "tp=64M,..", kWhat);
  text(app, "--traffic", o.traffic, "communication matrix or graph", "FILE", kWhat);
  text(app, "--pattern", o.pattern, "allreduce|alltoall|ring|stencil2d=8x4|stencil3d", "NAME",
       kWhat);
  list(app, "--pin", o.pins, "put this rank there; repeatable", "RANK=HOST:GPU", kWhat);
  text(app, "--model", o.model, "model: TOML, config.json, Megatron arguments", "FILE",
       kWhat);
  host_list(app, "--exclude", o.excluded, "use no seat of these hosts: g3 or g[01-04],h2", "HOSTS",
            kWhat);
  text(app, "--require", o.require_level, "all ranks inside one of this level (rule)", "LEVEL",
       kWhat);
  text(app, "--prefer", o.prefer_level, "the same, if it can be had (preference)", "LEVEL", kWhat);
  text(app, "--spread", o.spread_level, "ranks over as many as there are (preference)", "LEVEL",
       kWhat);
  list(app, "--affinity", o.affinity, "keep GROUP (tp, 0-7, @HOST) in one LEVEL (host)",
       "GROUP[=LEVEL]", kWhat);
  list(app, "--anti-affinity", o.anti_affinity, "keep its ranks, or @HOST's block, apart",
       "GROUP[=LEVEL]", kWhat);
  list(app, "--near", o.near, "close to these (preference); repeatable", "HOST|SWITCH", kWhat);
  parsed(
      app, "--spares",
      [&o](const std::string& value) -> Status {
        auto n = whole_number(value, 0, 1 << 20);
        if (!n) return fail(std::move(n).error());
        o.spares = static_cast<int>(*n);
        return {};
      },
      "hosts to keep free, as near as can be", "N", kWhat);
  choice(app, "--objective", o.objective, {"time", "hop-bytes"}, "time|hop-bytes", "NAME", kWhat);
  choice(app, "--effort", o.effort, {"fast", "default", "best"}, "fast|default|best", "NAME",
         kWhat);
  duration(app, "--solve-limit", o.solve_limit, "best so far after this", kWhat);
  text(app, "--solver-command", o.solver_command, "your solver: JSON in, placement out", "PROGRAM",
       kWhat);
}

void ledger_option(CLI::App& app, std::string& into) {
  parsed(
      app, "--ledger",
      [&into](const std::string& value) -> Status {
        if (auto path = quota::named_ledger(value); !path) return fail(std::move(path).error());
        into = value;
        return {};
      },
      "where runs are charged", "sqlite:PATH", kQuota);
}

void quota_options(CLI::App& app, QuotaOptions& o) {
  text(app, "--quota-token", o.token_file, "file that holds a quota token", "FILE", kQuota);
  ledger_option(app, o.ledger);
  choice(app, "--quota", o.rule, {"require", "warn", "off"}, "require|warn|off", "RULE", kQuota);
}

void quiet_options(CLI::App& app, bool& quiet, bool& verbose) {
  CLI::Option* const less = flag(app, "-q,--quiet", quiet, "only errors on stderr", kOutput);
  flag(app, "-v,--verbose", verbose, "say more", kOutput)->excludes(less);
}

/// --json is --format json in short; behind --format, whose value is known then.
void json_for_format(CLI::App& app, std::string& format) {
  const CLI::Option* const named = app.get_option("--format");
  app.add_flag_callback(
         "--json",
         [&format, named] {
           if (named->count() > 0 && format != "json") {
             throw OptionProblem{{Code::wrong_usage, "--json excludes --format " + format,
                                  "leave out one of them", {}, 0}};
           }
           format = "json";
         },
         "the same as --format json")
      ->group(kOutput);
}

void build_run(CLI::App& app, Request& request) {
  auto& o = request.emplace<RunOptions>();
  job_options(app, o.job);
  topology_options(app, o.topology);
  host_options(app, o.topology);
  choice(app, "--engine", o.engine, {"auto", "local", "mpirun", "srun", "peers"},
         "auto|local|mpirun", "NAME", kLaunch);
  flag(app, "--peers", o.peers, "", "");
  flag(app, "--dry-run", o.dry_run, "show the plan and the exact commands", kLaunch);
  duration(app, "--time-limit", o.time_limit, "end the job after this (90s, 5m, 1h30m)", kLaunch);
  parsed(
      app, "--grace",
      [&o](const std::string& value) -> Status {
        auto seconds = parse_duration(value);
        if (!seconds) return fail(std::move(seconds).error());
        o.grace = *seconds;
        return {};
      },
      "between SIGTERM and SIGKILL (10s)", "TIME", kLaunch);
  quota_options(app, o.quota);
  choice(app, "--validate", o.validate, {"auto", "off", "placement", "quick", "full"},
         "auto|off|placement|quick|full", "HOW", kCheck);
  flag(app, "--ab", o.ab, "measure given and solved order, run the faster", kCheck);
  flag(app, "--strict", o.strict, "a failed check stops the job (80)", kCheck);
  flag(app, "--tag", o.tag, "begin each line with its rank", kOutput);
  text(app, "--log-dir", o.log_directory, "each rank's output in files", "DIR", kOutput);
  text(app, "--summary", o.summary, "what happened, as JSON", "FILE", kOutput);
  quiet_options(app, o.quiet, o.verbose);
}

void build_topo(CLI::App& app, Request& request) {
  auto& o = request.emplace<TopoOptions>();
  topology_options(app, o.topology);
  host_options(app, o.topology);
  app.add_flag_callback(
         "--probe", [&o] { o.topology.topologies.emplace_back("probe:"); },
         "measure which of --hosts share a leaf")
      ->group(kWhere);
  text(app, "--host", o.host, "this host alone", "NAME", kWhere);
  choice(app, "--format", o.format,
         {"tree", "json", "nccl-xml", "slurm", "dot", "svg", "simgrid"},
         "tree|json|nccl-xml|slurm|dot|svg|simgrid", "NAME", kOutput);
  text(app, "--plan", o.plan, "draw its ranks (svg, dot)", "RUN|FILE", kOutput);
  text(app, "--color-by", o.dimension, "colour ranks by these groups", "tp|pp|dp..", kOutput);
  json_for_format(app, o.format);
  // As people type it; --topology FILE is the same.
  app.add_option_function<std::vector<std::string>>(
         "FILE",
         [&o](const std::vector<std::string>& files) {
           o.topology.topologies.insert(o.topology.topologies.end(), files.begin(), files.end());
         },
         "topology files or SPECs, as --topology")
      ->group(kWhere);
}

void build_lint(CLI::App& app, Request& request) {
  auto& o = request.emplace<LintOptions>();
  topology_options(app, o.topology);
  text(app, "--against", o.against, "hold them against this machine or another file", "live|FILE",
       kWhere);
  flag(app, "--env", o.environment, "FILEs (else this environment) are variables", kWhere);
  flag(app, "--job", o.job, "FILEs are batch scripts, training jobs, pods", kWhere);
  flag(app, "--rules", o.rules, "print the rules", kOutput);
  flag(app, "--json", o.json, "findings as one JSON object", kOutput);
  app.add_option("FILE", o.files, "topology files or SPECs (else this machine)")->group(kWhere);
}

void build_map(CLI::App& app, Request& request) {
  auto& o = request.emplace<MapOptions>();
  job_options(app, o.job);
  topology_options(app, o.topology);
  host_options(app, o.topology);
  choice(app, "--format", o.format,
         {"table", "json", "rankfile", "hostfile", "slurm", "mpich", "deepspeed", "env", "svg",
          "dot"},
         "table|json|svg|dot|env|rankfile|hostfile|slurm..", "NAME", kOutput);
  text(app, "--color-by", o.dimension, "colour ranks by these groups (svg, dot)", "tp|pp|dp..",
       kOutput);
  json_for_format(app, o.format);
  flag(app, "--explain", o.explain, "given order against solution, and why", kOutput);
  flag(app, "--no-progress", o.no_progress, "no progress line on a terminal", kOutput);
  text(app, "--from", o.from, "earlier plan as given order; with its --topology", "PLAN", kCompare);
  host_list(app, "--replace", o.replace, "move what is on these hosts and nothing else", "HOSTS",
            kCompare);
  app.add_option("--diff", o.diff, "which ranks moved; with --topology the cost")
      ->expected(2)
      ->type_name("PLAN PLAN")
      ->group(kCompare);
  text(app, "--what-if", o.what_if, "the same job on another machine", "FILE|SPEC", kCompare);
}

void build_bench(CLI::App& app, Request& request) {
  auto& o = request.emplace<BenchOptions>();
  job_options(app, o.job);
  topology_options(app, o.topology);
  host_options(app, o.topology);
  duration(app, "--time-limit", o.time_limit, "end it after this (5m)", kLaunch);
  quota_options(app, o.quota);
  text(app, "--compare", o.compare, "what got slower since that run", "RUN|FILE", kCheck);
  flag(app, "--json", o.json, "one JSON object on stdout", kOutput);
  quiet_options(app, o.quiet, o.verbose);
}

void build_validate(CLI::App& app, Request& request) {
  auto& o = request.emplace<ValidateOptions>();
  app.add_option("RUN", o.plan, "id, its beginning, last, folder or plan.json")->type_name("");
  CLI::Option* const measured =
      list(app, "--measured", o.measured, "nccl-tests' output, tables of pairs; no RUN", "FILE..",
           kCheck)
          ->expected(1, 1 << 20)
          ->allow_extra_args(true);
  text(app, "--expected", o.expected, "figures with source and date, as CSV", "FILE", kCheck);
  text(app, "--measurement", o.measurement, "hold the plan against this one", "FILE", kCheck)
      ->excludes(measured);
  text(app, "--observation", o.observation, "what the ranks saw", "FILE", kCheck)
      ->excludes(measured);
  flag(app, "--strict", o.strict, "a run without a measurement is not tested (81)", kCheck);
  flag(app, "--json", o.json, "the verdict as one JSON object", kOutput);
}

void build_quota(CLI::App& app, Request& request) {
  request.emplace<QuotaVerbOptions>();
  app.allow_extras();
}

void build_ps(CLI::App& app, Request& request) {
  auto& o = request.emplace<PsOptions>();
  flag(app, "-a,--all", o.all, "runs that have ended as well", kOutput);
  ledger_option(app, o.ledger);
  flag(app, "--json", o.json, "one JSON object on stdout", kOutput);
}

void build_report(CLI::App& app, Request& request) {
  auto& o = request.emplace<ReportOptions>();
  o.run = "last";
  app.add_option("RUN", o.run, "id, its beginning, last (default) or a folder")
      ->type_name("");
  text(app, "--compare", o.compare, "another run beside it", "RUN", kCheck);
  // Each of them says where the report goes, and as what.
  CLI::Option* const format = choice(app, "--format", o.format, {"text", "markdown", "html"},
                                     "text|markdown|html, to stdout alone", "NAME", kOutput);
  CLI::Option* const output =
      text(app, "-o,--output", o.output, "the page (else report.html in the run's folder)", "FILE",
           kOutput)
          ->excludes(format);
  flag(app, "--json", o.json, "one JSON object on stdout", kOutput)
      ->excludes(format)
      ->excludes(output);
}

void build_doctor(CLI::App& app, Request& request) {
  auto& o = request.emplace<DoctorOptions>();
  flag(app, "--config", o.config, "which setting won, and where it is written", kOutput);
  flag(app, "--json", o.json, "one JSON object on stdout", kOutput);
}

}  // namespace

const std::vector<VerbEntry>& verbs() {
  static const std::vector<VerbEntry> all{
      {"run", "[OPTIONS] -- COMMAND [ARGS...]", "place the ranks, start the job, check, report",
       true, build_run},
      {"topo", "[OPTIONS] [FILE...]", "what is this machine: GPUs, links, NICs, NUMA", false, build_topo},
      {"lint", "[OPTIONS] [FILE...]", "is this file, machine, environment, job right? 1 = findings",
       false, build_lint},
      {"map", "[OPTIONS]", "solve and print the placement, start nothing", false, build_map},
      {"bench", "[OPTIONS] [-- topobench's options]",
       "measure the interconnect on the solved placement", true, build_bench},
      {"validate", "[OPTIONS] [RUN]", "hold a saved run or plan against measurement", false,
       build_validate},
      {"quota", "SUBVERB [OPTIONS]", "tokens, balance, usage", false, build_quota},
      {"ps", "[OPTIONS]", "runs that are live", false, build_ps},
      {"report", "[OPTIONS] [RUN]", "what a run did, from its files", false, build_report},
      {"doctor", "[OPTIONS]", "what can be used here, what is missing, how to get it", false,
       build_doctor},
  };
  return all;
}

const std::vector<PlannedName>& planned_verbs() {
  static const std::vector<PlannedName> names{{"top", "use: topolaunch ps"}};
  return names;
}

}  // namespace topolaunch::launcher
