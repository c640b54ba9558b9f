// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "topo/lint/rules.h"

namespace topolaunch::topo {
namespace {

constexpr auto kError = Warning::Severity::error;
constexpr auto kWarning = Warning::Severity::warning;
constexpr auto kNote = Warning::Severity::note;

constexpr std::string_view kSbatch = "Slurm sbatch(1)";
constexpr std::string_view kResources = "SageMaker API, ResourceConfig";
constexpr std::string_view kKueue = "Kueue, Topology Aware Scheduling";

constexpr std::array kRules{
    // sbatch scripts
    Rule{"sbatch-late", kError, "sbatch reads no #SBATCH line behind the first command",
         "move it to the top", kSbatch},
    Rule{"sbatch-not-read", kWarning,
         "sbatch reads #SBATCH at the beginning of a line, in capitals",
         "write it so, or leave it out", kSbatch},
    Rule{"sbatch-shebang", kError, "sbatch refuses a script that doesn't begin with #!",
         "begin with #!/bin/bash", kSbatch},
    Rule{"sbatch-one-gpu-mask", kWarning,
         "each task sees one GPU as number 0: peers can't map its memory, local ranks are no "
         "ordinals",
         "--gpus-per-node, and let the launcher order the GPUs", "NVIDIA/nccl-tests#300"},
    Rule{"sbatch-task-count", kError, "--ntasks isn't --nodes times --ntasks-per-node",
         "leave out one of the three", kSbatch},
    Rule{"sbatch-gpu-count", kWarning, "tasks of a host and its GPUs are different numbers",
         "one task a GPU, or one a host that starts them", kSbatch},
    Rule{"sbatch-ranks-twice", kError,
         "srun starts a task a GPU and torchrun starts a rank a GPU in each",
         "--ntasks-per-node=1 below torchrun", "PyTorch, torchrun"},
    Rule{"sbatch-cpus-lost", kWarning,
         "from 22.05 on srun doesn't take --cpus-per-task from sbatch",
         "srun --cpus-per-task=$SLURM_CPUS_PER_TASK, or export SRUN_CPUS_PER_TASK",
         "Slurm 22.05 NEWS"},
    Rule{"sbatch-bad-value", kError, "sbatch refuses the script", "correct the value", kSbatch},
    Rule{"sbatch-unknown-option", kError, "sbatch refuses a script with an option that it hasn't",
         "write it as sbatch does", kSbatch},
    // create-training-job
    Rule{"job-unknown-member", kError,
         "the API refuses a member that it doesn't have; nothing is placed by it",
         "leave it out: SageMaker places by itself, ranks are ordered inside the job", kResources},
    Rule{"job-member-missing", kError, "the API refuses the request", "add it", kResources},
    Rule{"job-count-wrong", kError, "instance counts that don't agree", "correct the counts",
         kResources},
    Rule{"job-groups-and-type", kError,
         "InstanceGroups take the place of InstanceType and InstanceCount", "leave out one of them",
         kResources},
    Rule{"job-ranks-per-host", kWarning, "ranks of a host and its GPUs are different numbers",
         "one rank a GPU", "EC2, accelerated computing instances"},
    // Kubernetes manifests
    Rule{"manifest-key-repeated", kError, "Kubernetes refuses a mapping that has a key twice",
         "keep one of the two", "Kubernetes, field validation; YAML 1.2, 3.2.1.3"},
    Rule{"pod-gpu-request", kError,
         "GPUs are requested by limits; a request of another number is refused", "set limits alone",
         "Kubernetes, Schedule GPUs"},
    Rule{"pod-gpu-fraction", kError, "GPUs come as whole numbers", "a whole number, or MIG devices",
         "Kubernetes, Schedule GPUs"},
    Rule{"pod-ranks-per-host", kWarning, "ranks of a pod and its GPUs are different numbers",
         "one rank a GPU", "PyTorch, torchrun"},
    Rule{"pod-shared-memory", kNote,
         "/dev/shm of a container holds 64 MiB: NCCL and data loaders run out of it",
         "mount an emptyDir with medium: Memory at /dev/shm", "NCCL user guide, Troubleshooting"},
    Rule{"pod-topology-place", kError, "Kueue reads topology annotations of the pod template alone",
         "move it to template.metadata.annotations", kKueue},
    Rule{"pod-topology-unknown", kError,
         "an annotation of a name that Kueue doesn't have does nothing", "correct the name",
         kKueue},
    Rule{"pod-topology-two", kError, "required, preferred and unconstrained exclude each other",
         "keep one of them", kKueue},
    Rule{"pod-slice-size", kError,
         "slices want a topology and a size that divides the number of pods",
         "set podset-slice-required-topology and a size that divides", kKueue},
    Rule{"pod-no-queue", kWarning, "without a queue's name Kueue doesn't look at the job",
         "label kueue.x-k8s.io/queue-name", kKueue},
    Rule{"job-index-count", kError, "ranks of an indexed job wait for pods that are never started",
         "completions equal to parallelism", "Kubernetes, Indexed Job"},
};

}  // namespace

std::span<const Rule> job_rules() { return kRules; }

}  // namespace topolaunch::topo
