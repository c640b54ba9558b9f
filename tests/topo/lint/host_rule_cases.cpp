// SPDX-License-Identifier: Apache-2.0
#include "tests/topo/lint/rule_cases.h"

namespace topolaunch::topo {

std::string two_gpus(const std::string& mask0, const std::string& mask1, const std::string& more0,
                     const std::string& more1, const std::string& gpu0, const std::string& arch) {
  return "<system version=\"1\">\n<cpu numaid=\"0\" affinity=\"" + mask0 + "\" " + arch +
         ">\n<pci busid=\"0000:10:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" "
         "link_width=\"16\">"
         "<gpu dev=\"0\" sm=\"90\">" +
         gpu0 + "</gpu></pci>\n" + more0 + "</cpu>\n<cpu numaid=\"1\" affinity=\"" + mask1 + "\" " +
         arch +
         ">\n<pci busid=\"0000:90:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" "
         "link_width=\"16\">"
         "<gpu dev=\"1\" sm=\"90\"/></pci>\n" +
         more1 + "</cpu>\n</system>\n";
}

std::string a_nic(const std::string& bus, const std::string& name, const std::string& speed) {
  return "<pci busid=\"0000:" + bus + ":00.0\" class=\"0x020700\"><nic><net name=\"" + name +
         "\" speed=\"" + speed + "\" gdr=\"1\"/></nic></pci>\n";
}

namespace {

std::string links(const std::string& target, int count, const std::string& tclass = "0x030200") {
  return "<nvlink target=\"" + target + "\" count=\"" + std::to_string(count) + "\" tclass=\"" +
         tclass + "\"/>";
}
const std::string kGood = two_gpus("0f", "f0");

std::string three_gpus(int odd) {
  std::string text = "<system><cpu numaid=\"0\" affinity=\"f\" arch=\"x86_64\">";
  for (int i = 1; i <= 3; ++i) {
    text += "<pci busid=\"0000:0" + std::to_string(i) + ":00.0\" class=\"0x030200\"><gpu dev=\"" +
            std::to_string(i - 1) + "\" sm=\"90\">" +
            links("fffffff:ff:ff.0", i == 3 ? odd : 18, "0x068000") + "</gpu></pci>";
  }
  return text + "</cpu></system>";
}

/// The answer of a query for one GPU.
std::string query(const std::string& columns, const std::string& values) {
  return "index, pci.bus_id, " + columns + "\n0, 00000000:10:00.0, " + values + "\n";
}

std::string smi(const std::string& row0, const std::string& row1 = "GPU1\tSYS\t X \t4-7\t1\n") {
  return "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n" + row0 + row1;
}
const std::string kSmi = smi("GPU0\t X \tSYS\t0-3\t0\n");

std::string list(const std::string& lines) {
  return "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0a)\n" + lines;
}

std::string gres(const std::string& first,
                 const std::string& second = "Name=gpu File=/dev/nvidia1 Cores=4-7\n") {
  return first + "\n" + second;
}
const std::string kGres = gres("Name=gpu File=/dev/nvidia0 Cores=0-3");

const std::string kTree =
    "SwitchName=l1 Nodes=n[1-2]\nSwitchName=l2 Nodes=n[3-4]\nSwitchName=s Switches=l[1-2]\n";

std::string node(const std::string& label, const std::string& value) {
  return R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {")" + label +
         "\": \"" + value + "\"}}}";
}

}  // namespace

std::vector<RuleCase> host_rule_cases() {
  std::string many = "<system><cpu numaid=\"0\" affinity=\"f\" arch=\"x86_64\">";
  for (int i = 0; i < 260; ++i) many += "<nic><net name=\"e" + std::to_string(i) + "\"/></nic>";
  many += "</cpu></system>";
  const std::string both = a_nic("11", "mlx5_0") + a_nic("12", "mlx5_1");
  return {
      // hosts
      {"numa-swapped", Kind::against, two_gpus("f0", "0f"), kGood, kGood},
      {"numa-backwards", Kind::file, two_gpus("f0", "0f"), kGood, {}},
      {"numa-same-cpus", Kind::file, two_gpus("0f", "0f"), kGood, {}},
      {"cpus-not-there", Kind::against, two_gpus("0f", "ff0"), kGood, kGood},
      {"numa-cpus-differ", Kind::against, two_gpus("0f", "3c"), kGood, kGood},
      {"numa-cpus-conflict", Kind::two_files, two_gpus("0f", "3c"), kGood, kSmi},
      {"numa-differs", Kind::against, two_gpus("0f", "f0", a_nic("91", "mlx5_9")),
       two_gpus("0f", "f0", "", a_nic("91", "mlx5_9")),
       two_gpus("0f", "f0", "", a_nic("91", "mlx5_9"))},
      {"numa-conflict", Kind::two_files, two_gpus("0f", "f0", a_nic("91", "mlx5_9")),
       two_gpus("0f", "f0", "", a_nic("91", "mlx5_9")),
       two_gpus("0f", "f0", "", a_nic("91", "mlx5_9"))},
      {"gpu-lost",
       Kind::file,
       "Unable to determine the device handle for GPU0000:AB:00.0: Unknown Error\n" + kSmi,
       kSmi,
       {}},
      {"gpu-not-there", Kind::against, kGood, query("name", "NVIDIA H100"),
       query("name", "NVIDIA H100")},
      {"gpu-not-said", Kind::against, query("name", "NVIDIA H100 80GB HBM3"), kGood, kGood},
      {"nvlink-odd-gpu", Kind::file, three_gpus(12), three_gpus(18), {}},
      {"nvlink-inactive",
       Kind::file,
       list(" Link 0: <inactive>\n"),
       list(" Link 0: 26.562 GB/s\n"),
       {}},
      {"nvlink-all-down",
       Kind::file,
       list("NVML: Unable to retrieve NVLink information as all links are inActive\n"),
       list(" Link 0: 26.562 GB/s\n"),
       {}},
      {"nvlink-impossible-count", Kind::file, three_gpus(126), three_gpus(18), {}},
      {"nvlink-to-itself",
       Kind::file,
       two_gpus("0f", "f0", "", "", links("0000:10:00.0", 4)),
       kGood,
       {}},
      {"nvlink-unknown-target",
       Kind::file,
       two_gpus("0f", "f0", "", "", links("0000:77:00.0", 4)),
       kGood,
       {}},
      {"nvlink-asymmetric",
       Kind::file,
       two_gpus("0f", "f0", "", "", links("0000:90:00.0", 4)),
       kGood,
       {}},
      {"nvlink-conflict", Kind::two_files, three_gpus(18), three_gpus(12),
       "GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-0c)\n" +
           [] {
             std::string text;
             for (int i = 0; i < 12; ++i) text += " Link " + std::to_string(i) + ": 26.562 GB/s\n";
             return text;
           }() +
           "index, uuid, pci.bus_id\n2, GPU-0c, 00000000:03:00.0\n"},
      {"links-differ", Kind::against, three_gpus(12), three_gpus(18), three_gpus(18)},
      {"nvlink-not-said", Kind::file, kGood, three_gpus(18), {}},
      {"pcie-width",
       Kind::file,
       query("pcie.link.width.current, pcie.link.width.max", "8, 16"),
       query("pcie.link.width.current, pcie.link.width.max", "16, 16"),
       {}},
      {"pcie-generation",
       Kind::file,
       query("pcie.link.gen.current, pcie.link.gen.max", "1, 5"),
       query("pcie.link.gen.current, pcie.link.gen.max", "5, 5"),
       {}},
      {"uuid-conflict", Kind::two_files, query("uuid", "GPU-0a"), query("uuid", "GPU-0b"),
       query("uuid", "GPU-0b")},
      {"pci-conflict", Kind::two_files, "index, uuid, pci.bus_id\n0, GPU-0a, 00000000:10:00.0\n",
       "index, uuid, pci.bus_id\n0, GPU-0a, 00000000:20:00.0\n",
       "index, uuid, pci.bus_id\n0, GPU-0a, 00000000:20:00.0\n"},
      {"capability-conflict", Kind::two_files, query("compute_cap", "8.0"),
       query("compute_cap", "9.0"), query("compute_cap", "9.0")},
      {"model-differs", Kind::two_files, query("name", "NVIDIA A100"), query("name", "NVIDIA H100"),
       query("name", "NVIDIA H100")},
      {"nic-far-socket",
       Kind::file,
       two_gpus("0f", "f0", both),
       two_gpus("0f", "f0", a_nic("11", "a"), a_nic("91", "b")),
       {}},
      {"nic-odd-rate",
       Kind::file,
       two_gpus("0f", "f0", both, a_nic("91", "mlx5_2", "200000")),
       two_gpus("0f", "f0", both, a_nic("91", "mlx5_2")),
       {}},
      {"nic-not-there", Kind::against,
       two_gpus("0f", "f0", a_nic("13", "mlx5_7"), a_nic("91", "b")),
       two_gpus("0f", "f0", a_nic("11", "a"), a_nic("91", "b")),
       two_gpus("0f", "f0", a_nic("11", "a"), a_nic("91", "b"))},
      {"nic-rate-differs", Kind::against, two_gpus("0f", "f0", a_nic("11", "a", "200000")),
       two_gpus("0f", "f0", a_nic("11", "a")), two_gpus("0f", "f0", a_nic("11", "a"))},
      {"nic-rate-conflict", Kind::two_files, two_gpus("0f", "f0", a_nic("11", "a", "200000")),
       two_gpus("0f", "f0", a_nic("11", "a")), two_gpus("0f", "f0", a_nic("11", "a"))},
      // files
      {"nccl-no-arch", Kind::file, two_gpus("0f", "f0", "", "", "", ""), kGood, {}},
      {"nccl-too-many-nodes", Kind::file, many, kGood, {}},
      {"pci-repeated",
       Kind::file,
       two_gpus("0f", "f0", a_nic("10", "a")),
       two_gpus("0f", "f0", a_nic("11", "a")),
       {}},
      {"smi-partial", Kind::file, kSmi.substr(0, kSmi.size() - 10), kSmi, {}},
      {"smi-affinity-unreadable", Kind::file, smi("GPU0\t X \tSYS\t0-30\n"), kSmi, {}},
      {"smi-unknown-cell", Kind::file, smi("GPU0\t X \tFOO\t0-3\t0\n"), kSmi, {}},
      {"smi-asymmetric", Kind::file, smi("GPU0\t X \tPIX\t0-3\t0\n"), kSmi, {}},
      {"smi-no-tree",
       Kind::file,
       "\tGPU0\tGPU1\tGPU2\nGPU0\t X \tPIX\tSYS\nGPU1\tPIX\t X \tPIX\nGPU2\tSYS\tPIX\t X \n",
       kSmi,
       {}},
      {"smi-passed-over", Kind::file, "hello\n" + kSmi, kSmi, {}},
      {"slurm-stray-word", Kind::file, "SwitchName=l1 Nodes=n1, n2\n", kTree, {}},
      {"slurm-host-list",
       Kind::file,
       "SwitchName=l1 Nodes=n[1-2\nSwitchName=l2 Nodes=n3\n",
       kTree,
       {}},
      {"switch-empty", Kind::file, kTree + "SwitchName=x\n", kTree, {}},
      {"switch-repeated", Kind::file, kTree + "SwitchName=l1 Nodes=n9\n", kTree, {}},
      {"switch-two-parents", Kind::file, kTree + "SwitchName=t Switches=l1\n", kTree, {}},
      {"host-two-leaves", Kind::file, kTree + "SwitchName=l3 Nodes=n1\n", kTree, {}},
      {"fabric-ragged",
       Kind::file,
       "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\nSwitchName=a Switches=l1\nSwitchName=s "
       "Switches=a,l2\n",
       kTree,
       {}},
      {"fabric-two-roots",
       Kind::file,
       "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\n",
       kTree,
       {}},
      // Measured leaves have nothing above them that anybody could name.
      {"fabric-two-roots",
       Kind::file,
       "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\n",
       ",a,b,c,d\na,0,9,1,9\nb,9,0,9,1\nc,1,9,0,9\nd,9,1,9,0\n",
       {}},
      {"names-no-host", Kind::file, R"({"Instances": []})", kTree, {}},
      {"gres-links-self",
       Kind::file,
       gres("Name=gpu File=/dev/nvidia0 Cores=0-3 Links=0,4",
            "Name=gpu File=/dev/nvidia1 Cores=4-7 Links=4,-1\n"),
       gres("Name=gpu File=/dev/nvidia0 Cores=0-3 Links=-1,4",
            "Name=gpu File=/dev/nvidia1 Cores=4-7 Links=4,-1\n"),
       {}},
      {"gres-links-asymmetric",
       Kind::file,
       gres("Name=gpu File=/dev/nvidia0 Cores=0-3 Links=-1,2",
            "Name=gpu File=/dev/nvidia1 Cores=4-7 Links=4,-1\n"),
       gres("Name=gpu File=/dev/nvidia0 Cores=0-3 Links=-1,4",
            "Name=gpu File=/dev/nvidia1 Cores=4-7 Links=4,-1\n"),
       {}},
      {"gres-links-length",
       Kind::file,
       gres("Name=gpu File=/dev/nvidia0 Cores=0-3 Links=-1,4,4"),
       kGres,
       {}},
      {"gres-file-repeated", Kind::file, gres("Name=gpu File=/dev/nvidia1 Cores=0-3"), kGres, {}},
      {"gres-cores-missing", Kind::file, gres("Name=gpu File=/dev/nvidia0"), kGres, {}},
      {"gres-cores-beyond", Kind::against, gres("Name=gpu File=/dev/nvidia0 Cores=0-3,8-11"), kGres,
       kTwoSockets},
      {"gres-cores-far", Kind::against, gres("Name=gpu File=/dev/nvidia0 Cores=4-7"), kGres,
       kTwoSockets},
      {"gres-cores-part", Kind::against, gres("Name=gpu File=/dev/nvidia0 Cores=0-1"), kGres,
       kTwoSockets},
      {"gres-cores-wide", Kind::against, gres("Name=gpu File=/dev/nvidia0 Cores=0-7"), kGres,
       kTwoSockets},
      {"gres-gpu-count", Kind::against, "Name=gpu File=/dev/nvidia0 Cores=0-3\n", kGres,
       kTwoSockets},
      {"label-gpu-count", Kind::against, node("nvidia.com/gpu.count", "8"),
       node("nvidia.com/gpu.count", "2"), kTwoSockets},
      {"label-clique", Kind::against, node("nvidia.com/gpu.clique", "abc.1"), node("x", "y"),
       kTwoSockets},
  };
}

}  // namespace topolaunch::topo
