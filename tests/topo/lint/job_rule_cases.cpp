// SPDX-License-Identifier: Apache-2.0
#include "tests/topo/lint/rule_cases.h"

namespace topolaunch::topo {
namespace {

std::string sbatch(const std::string& directives, const std::string& command = "srun train\n") {
  return "#!/bin/bash\n" + directives + command;
}
std::string training(const std::string& resources, const std::string& more = "") {
  return "{\"TrainingJobName\": \"a\",\n\"ResourceConfig\": {" + resources + "}" + more + "}\n";
}
const std::string kResources =
    R"("InstanceType": "ml.p5.48xlarge", "InstanceCount": 2, "VolumeSizeInGB": 100)";

const std::string kGroups = R"("InstanceGroups": [{"InstanceGroupName": "a",
 "InstanceType": "ml.p5.48xlarge", "InstanceCount": 1}])";

std::string job(const std::string& annotations, const std::string& container,
                const std::string& head = "",
                const std::string& metadata = "  labels: {kueue.x-k8s.io/queue-name: q}\n") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j\n" + metadata + "spec:\n" + head +
         "  template:\n    metadata:\n      annotations: {" + annotations +
         "}\n    spec:\n      containers:\n      - name: c\n" + container;
}
const std::string kShm = "        volumeMounts: [{mountPath: /dev/shm, name: s}]\n";
const std::string kEight = "        resources: {limits: {nvidia.com/gpu: 8}}\n" + kShm;
std::string annotation(const std::string& name, const std::string& value = "a.b/c") {
  return "kueue.x-k8s.io/podset-" + name + ": " + value;
}

}  // namespace

std::vector<RuleCase> job_rule_cases() {
  const auto env = [](const char* code, const std::string& bad, const std::string& good,
                      const std::string& host = "") {
    return RuleCase{code, Kind::environment, bad + "\n", good + "\n", host};
  };
  return {
      // environment
      env("env-one-gpu-mask", "CUDA_VISIBLE_DEVICES=1\nLOCAL_WORLD_SIZE=8",
          "CUDA_VISIBLE_DEVICES=1\nLOCAL_WORLD_SIZE=1"),
      env("env-mask-repeated", "CUDA_VISIBLE_DEVICES=0,1,0", "CUDA_VISIBLE_DEVICES=0,1"),
      env("env-mask-unknown", "CUDA_VISIBLE_DEVICES=0,2", "CUDA_VISIBLE_DEVICES=0,1", kTwoSockets),
      env("env-mask-empty", "CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES=0"),
      env("env-device-order", "CUDA_VISIBLE_DEVICES=3,1",
          "CUDA_VISIBLE_DEVICES=3,1\nCUDA_DEVICE_ORDER=PCI_BUS_ID"),
      env("env-launch-blocking", "CUDA_LAUNCH_BLOCKING=1", "CUDA_LAUNCH_BLOCKING=0"),
      env("env-nccl-cumem-off", "NCCL_CUMEM_ENABLE=0", "NCCL_CUMEM_ENABLE=1"),
      env("env-nccl-mnnvl-off", "NCCL_MNNVL_ENABLE=0", "NCCL_MNNVL_ENABLE=1"),
      env("env-nccl-proto", "export NCCL_PROTO=simple", "export NCCL_PROTO=LL,LL128,Simple"),
      env("env-nccl-algo", "NCCL_ALGO=Ring", "NCCL_ALGO=^NVLS"),
      env("env-nccl-p2p-off", "NCCL_P2P_LEVEL=LOC", "NCCL_P2P_LEVEL=SYS"),
      env("env-nccl-shm-off", "NCCL_SHM_DISABLE=1", "NCCL_SHM_DISABLE=0"),
      env("env-nccl-ib-off", "NCCL_IB_DISABLE=1", "NCCL_IB_DISABLE=0"),
      env("env-nccl-gdr-off", "NCCL_NET_GDR_LEVEL=LOC", "NCCL_NET_GDR_LEVEL=PHB"),
      env("env-nccl-pxn", "NCCL_P2P_PXN_LEVEL=0", "NCCL_P2P_PXN_LEVEL=2"),
      env("env-nccl-channels", "NCCL_MAX_NCHANNELS=2", "NCCL_MAX_NCHANNELS=32"),
      env("env-nccl-ignore-affinity", "NCCL_IGNORE_CPU_AFFINITY=1", "NCCL_IGNORE_CPU_AFFINITY=0"),
      env("env-nccl-cross-nic", "NCCL_CROSS_NIC=1", "NCCL_CROSS_NIC=0"),
      env("env-nccl-debug", "NCCL_DEBUG=TRACE", "NCCL_DEBUG=WARN"),
      env("env-nccl-topo-file", "NCCL_TOPO_FILE=/etc/topo.xml", "NCCL_TOPO_FILE="),
      env("env-nccl-unknown", "NCCL_SOKET_IFNAME=eth0", "NCCL_SOCKET_IFNAME=eth0"),
      env("env-nccl-value", "NCCL_P2P_LEVEL=NVLINK", "NCCL_P2P_LEVEL=NVL"),
      env("env-nccl-hca", "NCCL_IB_HCA=mlx5_0,mlx5_7", "NCCL_IB_HCA==mlx5_0:1",
          two_gpus("0f", "f0", a_nic("11", "mlx5_0"))),
      env("env-socket-loopback", "NCCL_SOCKET_IFNAME=lo", "NCCL_SOCKET_IFNAME=^lo,docker"),
      env("env-efa-rdma-off", "FI_EFA_USE_DEVICE_RDMA=0", "FI_EFA_FORK_SAFE=1"),
      env("env-efa-rdma-set", "FI_EFA_USE_DEVICE_RDMA=1", "FI_EFA_FORK_SAFE=1"),
      env("env-efa-provider", "FI_PROVIDER=efa", "FI_PROVIDER=tcp"),
      // job requests
      {"sbatch-late",
       Kind::job,
       sbatch("date\n#SBATCH -N 2\n"),
       sbatch("#SBATCH -N 2\ndate\n"),
       {}},
      {"sbatch-not-read",
       Kind::job,
       sbatch("  #SBATCH -N 2\n#sbatch -n 2\n"),
       sbatch("#SBATCH -N 2\n##SBATCH -n 2\n# SBATCH\n#SBAT\n"),
       {}},
      {"sbatch-shebang", Kind::job, "#SBATCH -N 2\nsrun a\n", sbatch("#SBATCH -N 2\n"), {}},
      {"sbatch-one-gpu-mask",
       Kind::job,
       sbatch("#SBATCH --gpus-per-task=1\n"),
       sbatch("#SBATCH --gpus-per-node=8\n"),
       {}},
      {"sbatch-task-count",
       Kind::job,
       sbatch("#SBATCH -N 2 -n 8 --ntasks-per-node=8\n"),
       sbatch("#SBATCH -N 2 -n 16 --ntasks-per-node=8\n"),
       {}},
      {"sbatch-gpu-count",
       Kind::job,
       sbatch("#SBATCH --gres=gpu:h100:8 --ntasks-per-node=4\n"),
       sbatch("#SBATCH --gres=gpu:h100:8 --ntasks-per-node=8\n"),
       {}},
      {"sbatch-ranks-twice",
       Kind::job,
       sbatch("#SBATCH --ntasks-per-node=8\n", "srun torchrun \\\n --nproc_per_node 8 a\n"),
       sbatch("#SBATCH --ntasks-per-node=1\n", "srun torchrun \\\n --nproc_per_node 8 a\n"),
       {}},
      {"sbatch-cpus-lost",
       Kind::job,
       sbatch("#SBATCH --cpus-per-task=12\n"),
       sbatch("#SBATCH --cpus-per-task=12\n", "srun --cpus-per-task=12 train\n"),
       {}},
      {"sbatch-bad-value",
       Kind::job,
       sbatch("#SBATCH --nodes=0\n"),
       sbatch("#SBATCH --nodes=2\n"),
       {}},
      {"sbatch-unknown-option",
       Kind::job,
       sbatch("#SBATCH --gpu-per-node=8\n"),
       sbatch("#SBATCH --gpus-per-node=8\n"),
       {}},
      {"manifest-key-repeated",
       Kind::job,
       job("", kEight + "        name: d\n"),
       job("", kEight + "        image: d\n"),
       {}},
      {"job-unknown-member",
       Kind::job,
       training(kResources + ",\n\"TopologyAware\": true"),
       training(kResources),
       {}},
      {"job-member-missing",
       Kind::job,
       training("\"InstanceType\": \"ml.p5.48xlarge\""),
       training(kResources),
       {}},
      {"job-count-wrong",
       Kind::job,
       training(
           kResources +
           R"(, "InstancePlacementConfig": {"PlacementSpecifications": [{"InstanceCount": 1}]})"),
       training(
           kResources +
           R"(, "InstancePlacementConfig": {"PlacementSpecifications": [{"InstanceCount": 2}]})"),
       {}},
      {"job-groups-and-type",
       Kind::job,
       training(kResources + ", " + kGroups),
       training(kGroups),
       {}},
      {"job-ranks-per-host",
       Kind::job,
       training(kResources,
                R"(, "HyperParameters": {"sagemaker_mpi_num_of_processes_per_host": "4"})"),
       training(kResources,
                R"(, "HyperParameters": {"sagemaker_mpi_num_of_processes_per_host": "8"})"),
       {}},
      {"pod-gpu-request",
       Kind::job,
       job("", "        resources: {requests: {nvidia.com/gpu: 8}}\n" + kShm),
       job("", kEight),
       {}},
      {"pod-gpu-fraction",
       Kind::job,
       job("", "        resources: {limits: {nvidia.com/gpu: 0.5}}\n"),
       job("", kEight),
       {}},
      {"pod-ranks-per-host",
       Kind::job,
       job("", "        args: [torchrun, --nproc-per-node=4, a.py]\n" + kEight),
       job("", "        args: [torchrun, --nproc-per-node=8, a.py]\n" + kEight),
       {}},
      {"pod-shared-memory",
       Kind::job,
       job("", "        resources: {limits: {nvidia.com/gpu: 8}}\n"),
       job("", kEight),
       {}},
      {"pod-topology-place",
       Kind::job,
       job("", kEight, "", "  annotations: {" + annotation("required-topology") + "}\n"),
       job(annotation("required-topology"), kEight),
       {}},
      {"pod-topology-unknown",
       Kind::job,
       job(annotation("require-topology"), kEight),
       job(annotation("required-topology"), kEight),
       {}},
      {"pod-topology-two",
       Kind::job,
       job(annotation("required-topology") + ", " + annotation("preferred-topology"), kEight),
       job(annotation("preferred-topology"), kEight),
       {}},
      {"pod-slice-size",
       Kind::job,
       job(annotation("slice-required-topology") + ", " + annotation("slice-size", "\"3\""), kEight,
           "  parallelism: 8\n  completions: 8\n"),
       job(annotation("slice-required-topology") + ", " + annotation("slice-size", "\"4\""), kEight,
           "  parallelism: 8\n  completions: 8\n"),
       {}},
      {"pod-no-queue",
       Kind::job,
       job(annotation("required-topology"), kEight, "", ""),
       job(annotation("required-topology"), kEight),
       {}},
      {"job-index-count",
       Kind::job,
       job("", kEight, "  completionMode: Indexed\n  parallelism: 2\n  completions: 4\n"),
       job("", kEight, "  completionMode: Indexed\n  parallelism: 4\n  completions: 4\n"),
       {}},
  };
}

}  // namespace topolaunch::topo
