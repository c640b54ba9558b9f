// SPDX-License-Identifier: Apache-2.0
//
// What a command line asks for, as values: one struct a verb, filled once by cli.cpp, passed down.
// Several verbs share the smaller structs. Text that has a grammar of its own (sizes, durations,
// host lists) is still text here where the stage that uses it owns the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "quota/admit.h"

namespace topolaunch::launcher {

struct TopologyOptions {
  std::vector<std::string> topologies;  ///< --topology, in order; empty = this machine, live
  std::vector<double> distance;         ///< --distance, innermost first; for "tree:" specs
  std::string link_rate;                ///< --link-rate, as given
  std::string hosts;                    ///< --hosts, as given; empty = this host
  bool refresh = false;                 ///< ask hosts again that earlier starts have asked
  std::vector<std::string> engine_args; ///< --engine-args: they may name the remote-start agent
};

/// What is placed, and under which conditions.
struct JobOptions {
  int ranks = 0;  ///< 0 = not said
  bool oversubscribe = false;
  std::string parallel, order, bytes;  ///< empty = not said
  std::string traffic, pattern, model;
  std::string require_level, prefer_level, spread_level;
  std::vector<std::string> pins;      ///< "RANK=HOST:GPU"
  std::vector<std::string> excluded;  ///< host names
  std::vector<std::string> affinity, anti_affinity;  ///< "GROUP[=LEVEL]"
  std::vector<std::string> near;                     ///< hosts or switches
  int spares = 0;
  std::string solver_command;
  std::optional<Seconds> solve_limit;
  std::string objective = "time", effort = "default";
};

struct QuotaOptions {
  std::string token_file, ledger, rule;  ///< rule: require|warn|off; empty = not said
  // From the configuration alone, usually the site's:
  std::string count = "gpus";  ///< what is charged: gpus|ranks
  quota::AdmitRequest site;    ///< what a token is held against (quota_settings.h)
};

struct RunOptions {
  TopologyOptions topology;
  JobOptions job;
  QuotaOptions quota;
  std::string engine = "auto";
  bool peers = false;
  std::string validate = "auto";
  bool strict = false;
  bool ab = false;  ///< measure the given and the solved order, run the faster one
  std::optional<Seconds> time_limit;
  Seconds grace{10};
  bool tag = false;
  std::string log_directory, summary;
  bool quiet = false, verbose = false, dry_run = false;
  std::vector<std::string> command;
  std::vector<std::string> typed;  ///< the whole command line, for the record
};

struct TopoOptions {
  TopologyOptions topology;
  std::string format = "tree";
  std::string host;          ///< this one alone; empty = all
  std::string plan;          ///< a run or a plan file whose ranks are drawn; empty = none
  std::string dimension;     ///< ranks coloured by its groups; empty = the first there is
};

struct LintOptions {
  TopologyOptions topology;
  std::vector<std::string> files;
  std::string against;       ///< "live", a file or a SPEC; empty = against nothing
  bool environment = false;  ///< the files (else this process) hold variables
  bool job = false;          ///< the files are job requests
  bool rules = false;        ///< print the rules and look at nothing
  bool json = false;
};

struct MapOptions {
  TopologyOptions topology;
  JobOptions job;
  std::string format = "table";
  std::string dimension;  ///< for drawings, as in TopoOptions
  bool explain = false, no_progress = false;
  std::string from, what_if;          ///< a plan; a topology
  std::vector<std::string> replace;   ///< hosts
  std::vector<std::string> diff;      ///< two plans, or none
};

struct BenchOptions {
  TopologyOptions topology;
  JobOptions job;
  QuotaOptions quota;
  bool json = false, quiet = false, verbose = false;
  std::optional<Seconds> time_limit;
  std::string compare;                 ///< a run, or a measurement's file
  std::vector<std::string> topobench;  ///< behind `--`
};

struct ValidateOptions {
  std::string plan, measurement, observation;  ///< plan: a file, a run directory, or a run id
  std::vector<std::string> measured;  ///< files of others, without a plan
  std::string expected;               ///< a table of figures with source and date
  bool json = false, strict = false;
};

struct PsOptions {
  std::string ledger;
  bool json = false, all = false;
};

struct ReportOptions {
  std::string run, compare;
  std::string format;  ///< text|markdown|html, to stdout; empty = text, and the page into a file
  std::string output;  ///< that file; empty = report.html in the run's folder
  bool json = false;
};

struct DoctorOptions {
  bool json = false, config = false;
};

/// `quota SUBVERB`: what was given, by long name without dashes ("gpu-seconds" -> "3600").
struct QuotaVerbOptions {
  std::string subverb;
  std::vector<std::string> words;
};

}  // namespace topolaunch::launcher
