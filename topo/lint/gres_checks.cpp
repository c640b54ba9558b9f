// SPDX-License-Identifier: Apache-2.0
//
// The checks of gres.h. A file often describes many hosts in few lines: each line is judged once.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "topo/lint/gres.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

class Checks {
 public:
  Checks(const std::vector<GresLine>& lines, const std::string& file, const Host* real)
      : lines_(lines), file_(file), real_(real) {}

  std::vector<Warning> run() {
    links();
    for (const auto& [host, lines] : by_host()) host_lines(host, lines);
    if (real_ != nullptr && !real_->smt.empty()) {
      number_cores();
      for (const auto& line : lines_) cores(line);
    }
    unchecked();
    return std::move(found_);
  }

 private:
  using Lines = std::vector<const GresLine*>;

  void add(const char* code, const GresLine& line, std::string message) {
    found_.push_back(finding(code, file_, line.line, std::move(message)));
  }

  static std::optional<int> number_of(const std::string& path) {
    return smi::number_behind(path, "/dev/nvidia");
  }

  /// Lines of each host, in their order; those without NodeName= are every host's.
  std::map<std::string, Lines> by_host() const {
    std::map<std::string, Lines> out;
    Lines common;
    for (const auto& line : lines_) {
      if (line.hosts.empty()) {
        common.push_back(&line);
        for (auto& [host, lines] : out) lines.push_back(&line);
      }
      for (const auto& host : line.hosts) {
        out.try_emplace(host, common).first->second.push_back(&line);
      }
    }
    if (out.empty()) out[""] = std::move(common);
    return out;
  }

  void links() {
    for (const auto& line : lines_) {
      if (line.links.empty() || line.files.size() != 1) continue;
      const auto own = number_of(line.files[0]);
      if (!own) continue;
      const auto at = static_cast<std::size_t>(*own);
      const auto selves = std::count(line.links.begin(), line.links.end(), -1);
      if (at >= line.links.size() || line.links[at] != -1 || selves != 1) {
        add("gres-links-self", line,
            fmt::format("Links= of {} has no -1 at its own place {} alone", line.files[0], *own));
      }
      for (const auto& other : lines_) {
        if (&other >= &line || other.links.empty() || other.files.size() != 1) continue;
        if (!other.hosts.empty() && !line.hosts.empty() && other.hosts != line.hosts) continue;
        const auto peer = number_of(other.files[0]);
        if (!peer || static_cast<std::size_t>(*peer) >= line.links.size() ||
            at >= other.links.size())
          continue;
        const int there = line.links[static_cast<std::size_t>(*peer)];
        const int back = other.links[at];
        if (there < 0 || back < 0 || there == back) continue;
        add("gres-links-asymmetric", line,
            fmt::format("{} has {} to {}, which has {} back (line {})", line.files[0],
                        counted(there, "link"), other.files[0], back, other.line));
      }
    }
  }

  void once(const char* code, const GresLine& line, std::string message) {
    if (said_.insert({code, line.line}).second) add(code, line, std::move(message));
  }

  void host_lines(const std::string& host, const Lines& lines) {
    std::map<std::string, int> seen;
    std::size_t gpus = 0;
    bool with_cores = false;
    for (const auto* line : lines) {
      with_cores = with_cores || line->cores.has_value();
      gpus += line->multiple_files ? 0 : line->files.size();
      for (const auto& path : line->files) {
        const auto [at, added] = seen.try_emplace(path, line->line);
        if (!added && !line->multiple_files) {
          once("gres-file-repeated", *line,
               fmt::format("{} stands on line {} already", path, at->second));
        }
      }
    }
    for (const auto* line : lines) {
      if (with_cores && !line->cores && !line->files.empty() && !line->multiple_files) {
        once("gres-cores-missing", *line,
             "GPUs without Cores=, where others of the host have them");
      }
      if (!line->links.empty() && gpus > 0 && line->links.size() != gpus) {
        once("gres-links-length", *line,
             fmt::format("Links= has {}, the host {}", counted(line->links.size(), "number"),
                         counted(gpus, "GPU")));
      }
    }
    if (real_ != nullptr && gpus > 0 && !real_->gpus.empty() && gpus != real_->gpus.size()) {
      once("gres-gpu-count", *lines.back(),
           fmt::format("{} has {} here, {} has {}", host.empty() ? "the host" : host,
                       counted(gpus, "GPU"), real_->name, real_->gpus.size()));
    }
  }

  /// Slurm counts cores socket by socket; the kernel numbers CPUs as it likes.
  void number_cores() {
    std::vector<std::pair<std::pair<int, int>, int>> cores;  // (socket, first CPU), NUMA node
    for (const auto& core : real_->smt) {
      if (core.empty()) continue;
      int numa = -1, package = -1;
      for (const auto& node : real_->numa) {
        if (!node.cpus.contains(core.front())) continue;
        numa = node.id;
        package = node.package;
      }
      cores.push_back({{package, core.front()}, numa});
    }
    std::sort(cores.begin(), cores.end());
    for (std::size_t i = 0; i < cores.size(); ++i)
      cores_of_numa_[cores[i].second].add(static_cast<int>(i));
    cores_ = static_cast<int>(cores.size());
  }

  void cores(const GresLine& line) {
    if (!line.cores || line.files.empty() || line.multiple_files) return;
    if (line.cores->last() >= cores_) {
      add("gres-cores-beyond", line,
          fmt::format("Cores={} on a host of {} cores (0-{})", line.cores->to_list(), cores_,
                      cores_ - 1));
      return;
    }
    CpuSet near;
    bool known = false;
    std::set<int> nodes;
    for (const auto& path : line.files) {
      const auto number = number_of(path);
      if (!number || static_cast<std::size_t>(*number) >= real_->gpus.size()) continue;
      const auto numa = real_->gpus[static_cast<std::size_t>(*number)].numa;
      if (!numa) continue;
      known = true;
      nodes.insert(*numa);
      near = near | cores_of_numa_[*numa];
    }
    if (!known) {
      gpus_without_place_ = gpus_without_place_ == nullptr ? &line : gpus_without_place_;
      return;
    }
    const std::string which =
        fmt::format("{} {} on NUMA node {}, whose cores are {}", line.files.front(),
                    line.files.size() == 1 ? "is" : "and others are", fmt::join(nodes, " and "),
                    near.to_list());
    if (nodes.size() > 1 || !near.includes(*line.cores)) {
      const bool far = nodes.size() == 1 && !near.intersects(*line.cores);
      const bool one_place = nodes.size() > 1 && !line.cores->includes(near);
      add(far || one_place ? "gres-cores-far" : "gres-cores-wide", line,
          fmt::format("Cores={}; {}", line.cores->to_list(), which));
    } else if (near != *line.cores) {
      add("gres-cores-part", line, fmt::format("Cores={}; {}", line.cores->to_list(), which));
    }
  }

  /// Held against a machine, and yet not held against it: that has to be said.
  void unchecked() {
    if (real_ == nullptr) return;
    const auto with_cores = std::find_if(lines_.begin(), lines_.end(), [](const GresLine& line) {
      return line.cores && !line.files.empty() && !line.multiple_files;
    });
    if (with_cores == lines_.end()) return;
    if (real_->smt.empty()) {
      add("gres-cores-unchecked", *with_cores,
          fmt::format("Cores= can't be checked: which CPUs of {} make a core is not known", real_->name));
    } else if (gpus_without_place_ != nullptr) {
      add("gres-cores-unchecked", *gpus_without_place_,
          fmt::format("Cores= can't be checked: on {} the NUMA node of {} is not known", real_->name,
                      gpus_without_place_->files.front()));
    }
  }

  const std::vector<GresLine>& lines_;
  const std::string& file_;
  const Host* real_;
  const GresLine* gpus_without_place_ = nullptr;
  std::map<int, CpuSet> cores_of_numa_;
  int cores_ = 0;
  std::set<std::pair<std::string, int>> said_;
  std::vector<Warning> found_;
};

}  // namespace

std::vector<Warning> check_gres(const std::vector<GresLine>& lines, const std::string& file,
                                const Host* real) {
  return Checks(lines, file, real).run();
}

}  // namespace topolaunch::topo
