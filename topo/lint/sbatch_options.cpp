// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/sbatch_options.h"

#include <algorithm>
#include <array>
#include <regex>
#include <vector>

#include "base/commands.h"
#include "base/nearest_name.h"

namespace topolaunch::topo {
namespace {

/// Short options of sbatch and what they stand for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kShort{
    {{"-N", "nodes"},
     {"-t", "time"},
     {"-n", "ntasks"},
     {"-c", "cpus-per-task"},
     {"-G", "gpus"},
     {"-m", "distribution"}}};

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{
      "account", "acctg-freq", "array", "batch", "bb", "bbf", "begin", "chdir",
      "cluster-constraint", "clusters", "comment", "consolidate-segments", "constraint",
      "container", "container-id", "contiguous", "core-spec", "cores-per-socket", "cpu-freq",
      "cpus-per-gpu", "cpus-per-task", "deadline", "delay-boot", "dependency", "distribution",
      "error", "exclude", "exclusive", "export", "export-file", "extra", "extra-node-info",
      "get-user-env", "gid", "gpu-bind", "gpu-freq", "gpus", "gpus-per-node", "gpus-per-socket",
      "gpus-per-task", "gres", "gres-flags", "help", "hint", "hold", "ignore-pbs", "immediate",
      "input", "job-name", "jobid", "kill-on-invalid-dep", "licenses", "mail-type", "mail-user",
      "mcs-label", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu", "mem_bind", "mincores",
      "mincpus", "minsockets", "minthreads", "network", "nice", "no-kill", "no-requeue", "nodefile",
      "nodelist", "nodes", "ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node",
      "ntasks-per-socket", "oom-kill-step", "open-mode", "output", "overcommit", "oversubscribe",
      "parsable", "partition", "power", "prefer", "priority", "profile", "propagate", "qos",
      "quiet", "reboot", "requeue", "reservation", "resv-ports", "segment", "share", "signal",
      "sockets-per-node", "spread-job", "spread-segments", "stepmgr", "switches", "tasks-per-node",
      "test-only", "thread-spec", "threads-per-core", "time", "time-min", "tmp", "tres-bind",
      "tres-per-task", "uid", "usage", "use-min-nodes", "verbose", "version", "wait",
      "wait-all-nodes", "wckey", "workdir", "wrap", "x11",
  };
  return all;
}

/// What a value has to look like, and that in words.
struct Value {
  const char* pattern;
  std::string_view words;
};

constexpr Value kCount{"0*[1-9][0-9]*", "a whole number above 0"};
// A step and several sizes are of 23.11; K and M are factors of 1024.
constexpr Value kHosts{"(0*[1-9][0-9]*[kKmM]?(-0*[1-9][0-9]*[kKmM]?(:0*[1-9][0-9]*)?)?(,(?!$)|$))+",
                       "a number of hosts above 0, or a range like 2-4"};
constexpr Value kGpus{"(([^:,]+:)?[0-9]+(,(?!$)|$))+", "a number of GPUs, or type:number"};
// Of other generic resources a site alone knows what they are called.
constexpr Value kGres{
    "(gpu(:[^-:,][^:,]*|:[^:,]+:[0-9]+)?(,(?!$)|$)|(?!gpu(:|,|$))[^,]+(,(?!$)|$))+",
    "gpu:number or gpu:type:number"};
constexpr Value kTime{"-1|infinite|unlimited|[0-9]+(:[0-9]+){0,2}|[0-9]+-([0-9]+(:[0-9]+){0,2})?",
                      "minutes, minutes:seconds, hours:minutes:seconds or "
                      "days-hours[:minutes[:seconds]]"};
constexpr Value kMemory{"[0-9]+([kmgtp]b?)?", "a whole number with K, M, G or T behind it"};

struct Looked {
  std::string_view name;
  const Value* value;
};
constexpr std::array kLooked{
    Looked{"nodes", &kHosts},
    Looked{"ntasks", &kCount},
    Looked{"ntasks-per-core", &kCount},
    Looked{"ntasks-per-gpu", &kCount},
    Looked{"ntasks-per-node", &kCount},
    Looked{"ntasks-per-socket", &kCount},
    Looked{"cpus-per-task", &kCount},
    Looked{"cpus-per-gpu", &kCount},
    Looked{"mincpus", &kCount},
    Looked{"gpus", &kGpus},
    Looked{"gpus-per-node", &kGpus},
    Looked{"gpus-per-socket", &kGpus},
    Looked{"gpus-per-task", &kGpus},
    Looked{"gres", &kGres},
    Looked{"time", &kTime},
    Looked{"time-min", &kTime},
    Looked{"mem", &kMemory},
    Looked{"mem-per-cpu", &kMemory},
    Looked{"mem-per-gpu", &kMemory},
    Looked{"tmp", &kMemory},
};

constexpr std::size_t kLongest = 256;  ///< letters of a value; std::regex goes deep into long ones

}  // namespace

Result<std::vector<SbatchWord>> sbatch_words(const std::string& line) {
  auto words = shell_words(line);
  if (!words) return fail(std::move(words).error());
  std::vector<SbatchWord> found;
  for (std::size_t i = 0; i < words->size(); ++i) {
    const std::string_view word = (*words)[i];
    const auto equals = word.find('=');
    SbatchWord one;
    if (word.starts_with("--")) {
      one.name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
      if (equals != std::string_view::npos) one.value = word.substr(equals + 1);
    } else {
      const auto* const at = std::find_if(kShort.begin(), kShort.end(), [word](const auto& known) {
        return word.starts_with(known.first);
      });
      if (at == kShort.end()) continue;
      one.name = at->second;
      one.value = word.substr(2);
    }
    const bool another = i + 1 < words->size() && !(*words)[i + 1].starts_with('-');
    if (one.value.empty() && equals == std::string_view::npos && another) one.value = (*words)[++i];
    if (!one.name.empty()) found.push_back(std::move(one));
  }
  return found;
}

std::string sbatch_option(std::string_view typed) {
  std::string found;
  for (const auto& name : names()) {
    if (name == typed) {
      found = name;
      break;
    }
    if (typed.empty() || !name.starts_with(typed)) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found == "tasks-per-node" ? "ntasks-per-node" : found;
}

std::string_view wanted_sbatch_value(std::string_view name, std::string_view value) {
  const auto* const at = std::find_if(kLooked.begin(), kLooked.end(),
                                      [name](const Looked& looked) { return looked.name == name; });
  if (at == kLooked.end()) return {};
  const std::regex pattern(at->value->pattern, std::regex::ECMAScript | std::regex::icase);
  const bool right =
      value.size() <= kLongest && std::regex_match(value.begin(), value.end(), pattern);
  return right ? std::string_view() : at->value->words;
}

std::string meant_sbatch_option(std::string_view typed) {
  // Farther than this lie options of plugins: pyxis' --container-image and sbatch's --container-id.
  constexpr std::size_t kMostEdits = 2;
  return nearest_name(typed, names(), kMostEdits);
}

}  // namespace topolaunch::topo
