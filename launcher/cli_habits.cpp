// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli_habits.h"

#include <algorithm>

namespace topolaunch::launcher {
namespace {

/// Options that one step of ours replaces; `ours` is what a verb must have for it to be true.
struct Replaced {
  std::string_view ours;
  std::string_view next;
  std::vector<std::string_view> theirs;
};

/// mpirun(1) of Open MPI 4.1 and of Hydra, srun(1), torchrun --help of PyTorch 2.
const std::vector<Replaced>& replaced_options() {
  static const std::vector<Replaced> all{
      {"--ranks", "use -n N", {"--np", "--ntasks", "--n"}},
      {"--ranks",
       "use -n N, the ranks of all hosts together (else one per visible GPU)",
       {"--nproc-per-node", "--ntasks-per-node", "--npernode", "--ppn", "--perhost", "--gpus",
        "--gpus-per-node", "--gpus-per-task", "--gres", "-G"}},
      {"--hosts",
       "use --hosts LIST with as many hosts; inside an allocation its hosts are taken",
       {"--nnodes", "--nodes", "-N", "--node-rank"}},
      {"--hosts", "use --hosts @FILE", {"--hostfile", "--machinefile"}},
      {"--hosts", "use --hosts LIST", {"--host", "--nodelist", "-H", "-w"}},
      {"--ranks",
       "leave it out: every rank is told MASTER_ADDR and MASTER_PORT, on a port that is free",
       {"--standalone", "--master-addr", "--master-port", "--rdzv-backend", "--rdzv-endpoint",
        "--rdzv-id", "--rdzv-conf"}},
      {"--ranks",
       "leave it out: ranks are bound next to their GPU; --pin RANK=HOST:GPU puts one elsewhere",
       {"--bind-to", "--map-by", "--rank-by", "--bycore", "--bynode", "--cpu-bind", "--gpu-bind",
        "--distribution", "--cpus-per-task", "--cpus-per-proc"}},
      {"--ranks",
       "leave it out: the environment goes along by itself (NAME=VALUE before topolaunch sets one)",
       {"-x", "--export", "--genv", "--env"}},
      {"--ranks",
       "leave it out: the working directory goes along by itself (cd DIR before topolaunch)",
       {"--wdir", "--wd", "--chdir"}},
      {"--ranks", "leave it out: root may start jobs", {"--allow-run-as-root"}},
      {"--parallel",
       "use --parallel tp=N,pp=N,dp=N",
       {"--tp", "--pp", "--dp", "--cp", "--ep", "--fsdp", "--tensor-parallel-size",
        "--pipeline-parallel-size", "--data-parallel-size", "--context-parallel-size",
        "--expert-parallel-size", "--tensor-model-parallel-size",
        "--pipeline-model-parallel-size", "--expert-model-parallel-size"}},
      {"--engine-args", "use --engine-args \"--mca NAME VALUE\"", {"--mca"}},
      {"--time-limit", "use --time-limit TIME", {"--timeout", "--time", "-t"}},
      {"--tag", "use --tag", {"--tag-output", "--label", "-l"}},
      {"--log-dir",
       "use --log-dir DIR",
       {"--output-filename", "--output", "--redirects", "--tee", "-o"}},
      {"--dry-run", "use --dry-run, or --verbose", {"--report-bindings", "--display-map"}},
      {"--dry-run",
       "put the interpreter behind --: topolaunch -- python -m MODULE",
       {"--module", "-m", "--no-python"}},
  };
  return all;
}

}  // namespace

std::string usual_spelling(std::string_view option) {
  const auto begin = option.find_first_not_of('-');
  if (begin == std::string_view::npos) return std::string(option);
  const bool letter = begin == 1 && option.size() == 2;
  std::string name = (letter ? "-" : "--") + std::string(option.substr(begin));
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string_view our_way(std::string_view option, const CLI::App& app) {
  if (!option.starts_with('-')) return {};
  const std::string name = usual_spelling(option);
  for (const Replaced& one : replaced_options()) {
    if (std::ranges::find(one.theirs, name) == one.theirs.end()) continue;
    return app.get_option_no_throw(std::string(one.ours)) == nullptr ? std::string_view()
                                                                     : one.next;
  }
  return {};
}

std::vector<std::string> meant_command(const std::string& word,
                                       const std::function<bool(const std::string&)>& is_command) {
  if (is_command(word)) return {word};
  if (word.ends_with(".py")) return {"python", word};
  if (word.ends_with(".sh")) return {"bash", word};
  if (is_command("./" + word)) return {"./" + word};
  return {};
}

}  // namespace topolaunch::launcher
