// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/sbatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "base/counted.h"
#include "topo/lint/environment.h"
#include "topo/lint/rank_command.h"
#include "topo/lint/rules.h"
#include "topo/lint/sbatch_options.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

constexpr std::string_view kDirective = "#SBATCH";

/// "#SBATCH" that stands behind blanks, or in other letters.
bool is_misplaced_directive(std::string_view line) {
  const auto text = smi::trimmed(line).substr(0, kDirective.size());
  return std::equal(text.begin(), text.end(), kDirective.begin(), kDirective.end(),
                    [](unsigned char a, unsigned char b) { return std::toupper(a) == b; }) &&
         !line.starts_with(kDirective);
}

struct Option {
  std::string value;
  int line = 0;
};

class Script {
 public:
  Script(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Warning> check() {
    read();
    const int tasks = number("ntasks-per-node").value_or(0);
    check_masks();
    check_counts();
    check_commands(tasks);
    EnvironmentPlace place;
    place.file = file_;
    place.ranks_per_host = tasks;
    for (auto& warning : check_environment(variables_of(text_), place))
      found_.push_back(std::move(warning));
    return std::move(found_);
  }

 private:
  struct Command {
    int line;
    std::string text;
  };

  void add(const char* code, int line, std::string message) {
    found_.push_back(finding(code, file_, line, std::move(message)));
  }

  void read() {
    const auto lines = smi::lines_of(text_);
    if (!lines.empty() && !lines[0].text.starts_with("#!")) {
      add("sbatch-shebang", 1, "the script begins without #!");
    }
    std::string continued;
    int begun = 0;
    for (const auto& line : lines) {
      std::string_view text = smi::trimmed(line.text);
      if (commands_.empty() && is_misplaced_directive(line.text)) {
        add("sbatch-not-read", line.number, fmt::format("'{}'", text.substr(0, 60)));
        continue;
      }
      if (text.starts_with(kDirective)) {
        if (!commands_.empty()) {
          add("sbatch-late", line.number,
              fmt::format("'{}' stands behind the first command (line {})", text.substr(0, 60),
                          commands_[0].line));
        } else {
          read_directive(text.substr(kDirective.size()), line.number);
        }
        continue;
      }
      if (continued.empty() && (text.empty() || text.starts_with("#"))) continue;
      if (continued.empty()) begun = line.number;
      const bool goes_on = text.ends_with('\\');
      if (goes_on) text.remove_suffix(1);
      continued += std::string(text) + " ";
      if (goes_on) continue;
      commands_.push_back({begun, std::move(continued)});
      continued.clear();
    }
    if (!continued.empty()) commands_.push_back({begun, std::move(continued)});
  }

  void read_directive(std::string_view text, int line) {
    const auto words = sbatch_words(std::string(text.substr(0, text.find(" #"))));
    if (!words) return add("sbatch-bad-value", line, words.error().message);
    for (const auto& word : *words) take(word.name, word.value, line);
  }

  void take(const std::string& typed, const std::string& value, int line) {
    const std::string name = sbatch_option(typed);
    if (name.empty()) {
      // An option that is like none of sbatch's is a plugin's.
      if (const auto meant = meant_sbatch_option(typed); !meant.empty()) {
        add("sbatch-unknown-option", line,
            fmt::format("sbatch has no option --{}: --{} was meant?", typed, meant));
      }
      return;
    }
    if (const auto wanted = wanted_sbatch_value(name, value); !wanted.empty()) {
      add("sbatch-bad-value", line,
          value.empty() ? fmt::format("--{} has no value; it takes {}", name, wanted)
                        : fmt::format("--{}={}: it takes {}", name, value.substr(0, 60), wanted));
    }
    options_[name] = {value, line};
  }

  const Option* option(const std::string& name) const {
    const auto at = options_.find(name);
    return at == options_.end() ? nullptr : &at->second;
  }
  /// "8", and "h100:8" of GPU counts.
  std::optional<int> number(const std::string& name) const {
    const auto* found = option(name);
    if (found == nullptr) return {};
    return smi::whole_number(std::string_view(found->value).substr(found->value.rfind(':') + 1));
  }
  std::optional<int> gpus_per_node() const {
    if (const auto said = number("gpus-per-node")) return said;
    const auto* gres = option("gres");
    if (gres == nullptr || !gres->value.starts_with("gpu")) return {};
    return gres->value.find(':') == std::string::npos ? 1 : number("gres");
  }

  void check_masks() {
    for (const auto& [name, value] :
         {std::pair<std::string, std::string_view>{"gpus-per-task", "1"},
          {"gpu-bind", "single:1"},
          {"tres-bind", "gres/gpu:per_task:1"},
          {"tres-bind", "gres/gpu:single:1"}}) {
      const auto* found = option(name);
      if (found == nullptr ||
          (found->value != value && !found->value.ends_with(":" + std::string(value))))
        continue;
      if (number("ntasks-per-node").value_or(2) < 2) continue;
      add("sbatch-one-gpu-mask", found->line, fmt::format("--{}={}", name, found->value));
    }
  }

  void check_counts() {
    const auto nodes = number("nodes"), tasks = number("ntasks"),
               per_node = number("ntasks-per-node");
    if (nodes && tasks && per_node && *tasks != long{*nodes} * *per_node) {
      add("sbatch-task-count", option("ntasks")->line,
          fmt::format("--ntasks={}, but {} of {} are {}", *tasks, counted(*nodes, "host"),
                      counted(*per_node, "task"), long{*nodes} * *per_node));
    }
    const auto gpus = gpus_per_node();
    if (gpus && per_node && *per_node > 1 && *per_node != *gpus) {
      add("sbatch-gpu-count", option("ntasks-per-node")->line,
          fmt::format("{} a host on {}", counted(*per_node, "task"), counted(*gpus, "GPU")));
    }
  }

  void check_commands(int tasks) {
    const bool exported = text_.find("SRUN_CPUS_PER_TASK") != std::string_view::npos;
    for (const auto& command : commands_) {
      const auto words = smi::words_of(command.text);
      const bool srun = std::find(words.begin(), words.end(), "srun") != words.end();
      const auto ranks = rank_command(command.text);
      const int own_tasks = [&] {
        const auto said = option_of(command.text, "--ntasks-per-node");
        return said ? smi::whole_number(*said).value_or(tasks) : tasks;
      }();
      if (srun && ranks.torchrun && own_tasks > 1 && ranks.ranks_per_host.value_or(2) > 1) {
        add("sbatch-ranks-twice", command.line,
            fmt::format("srun starts {} a host, and torchrun in each of them {} ranks",
                        counted(own_tasks, "task"),
                        ranks.ranks_per_host ? std::to_string(*ranks.ranks_per_host) : "several"));
      } else if (const auto gpus = gpus_per_node();
                 ranks.torchrun && gpus && ranks.ranks_per_host && *ranks.ranks_per_host != *gpus) {
        add("sbatch-gpu-count", command.line,
            fmt::format("torchrun starts {} a host on {}", counted(*ranks.ranks_per_host, "rank"),
                        counted(*gpus, "GPU")));
      }
      const auto* cpus = option("cpus-per-task");
      const bool asks = option_of(command.text, "--cpus-per-task") || option_of(command.text, "-c");
      if (srun && cpus != nullptr && !exported && !asks && !said_cpus_) {
        said_cpus_ = true;
        add("sbatch-cpus-lost", command.line,
            fmt::format("srun doesn't take over --cpus-per-task={} of line {}", cpus->value,
                        cpus->line));
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::map<std::string, Option> options_;
  std::vector<Command> commands_;
  bool said_cpus_ = false;
  std::vector<Warning> found_;
};

}  // namespace

bool looks_like_sbatch(std::string_view text) {
  for (const auto& line : smi::lines_of(text.substr(0, std::size_t{1} << 16))) {
    if (smi::trimmed(line.text).starts_with(kDirective)) return true;
  }
  return text.starts_with("#!");
}

std::vector<Warning> check_sbatch(std::string_view text, const std::string& file) {
  return Script(text, file).check();
}

}  // namespace topolaunch::topo
