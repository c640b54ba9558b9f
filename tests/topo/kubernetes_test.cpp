// SPDX-License-Identifier: Apache-2.0
#include "topo/kubernetes.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/topo/facts.h"

namespace topolaunch::topo {
namespace {

using ::testing::HasSubstr;

Json node(const std::string& name, std::map<std::string, std::string> labels,
          const std::string& gpus = "8") {
  Json json{{"kind", "Node"},
            {"metadata", {{"name", name}, {"labels", Json::object()}}},
            {"status", Json::object()}};
  for (const auto& [key, value] : labels) json["metadata"]["labels"][key] = value;
  if (!gpus.empty()) json["status"]["allocatable"]["nvidia.com/gpu"] = gpus;
  json["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "True"}}});
  return json;
}
Topology read(const std::vector<Json>& nodes) {
  Json list{{"kind", "List"}, {"items", Json::array()}};
  for (const auto& entry : nodes) list["items"].push_back(entry);
  const std::string text = to_pretty(list);
  auto facts = facts_from_json(GivenText{text, text, "nodes.json", "", ""});
  EXPECT_TRUE(facts.has_value()) << facts.error().text();
  return facts ? assembled(*facts) : Topology();
}

TEST(Kubernetes, ReadsTheLayersOfEks) {
  const auto chain = [](const std::string& mid, const std::string& leaf) {
    return std::map<std::string, std::string>{{"topology.k8s.aws/network-node-layer-1", "top"},
                                              {"topology.k8s.aws/network-node-layer-2", mid},
                                              {"topology.k8s.aws/network-node-layer-3", leaf},
                                              {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}};
  };
  const auto topology = read({node("n1", chain("m1", "l1")), node("n2", chain("m1", "l1")),
                              node("n3", chain("m2", "l2")), node("n4", {}), node("cpu", {}, "")});
  EXPECT_EQ(topology.fabric.leaf_of_host[0], topology.fabric.leaf_of_host[1]);
  EXPECT_EQ(
      topology.fabric.switches[static_cast<std::size_t>(topology.fabric.leaf_of_host[2])].name,
      "l2");
  EXPECT_EQ(topology.fabric.switches.size(), 5U);
  EXPECT_EQ(topology.hosts[0].gpus.at(0).model, "NVIDIA H100 80GB HBM3");
  EXPECT_TRUE(topology.hosts[4].gpus.empty());
  EXPECT_THAT(message_of(topology, "host-place-unknown"), HasSubstr("2 hosts (n4"));
}

TEST(Kubernetes, ReadsGkeOciAndBothTopographs) {
  const auto gke = read({node("n1", {{"cloud.google.com/gce-topology-block", "b"},
                                     {"cloud.google.com/gce-topology-subblock", "s"}})});
  EXPECT_EQ(gke.fabric.switches.at(0).name, "s");
  EXPECT_EQ(gke.fabric.switches.at(1).name, "b");
  const auto oci = read({node("n1", {{"oci.oraclecloud.com/rdma.hpc_island_id", "i"},
                                     {"oci.oraclecloud.com/rdma.network_block_id", "n"},
                                     {"oci.oraclecloud.com/rdma.local_block_id", "l"},
                                     {"oci.oraclecloud.com/host.rack_id", "r"}})});
  EXPECT_EQ(oci.fabric.switches.size(), 3U);
  EXPECT_EQ(oci.fabric.switches[0].name, "l");
  const auto both = read({node("n1", {{"fabric.topograph.run/tier-0", "leaf-3"},
                                      {"fabric.topograph.run/tier-1", "s"}}),
                          node("n2", {{"network.topology.nvidia.com/leaf", "leaf-3"},
                                      {"network.topology.nvidia.com/spine", "s"}})});
  EXPECT_EQ(both.fabric.leaf_of_host, (std::vector<int>{0, 0}));
}

TEST(Kubernetes, TakesTheMostExactNvlinkDomain) {
  const auto topology = read(
      {node("n1",
            {{"nvidia.com/gpu.clique", "uuid-1.2"}, {"topology.k8s.aws/ultraserver-id", "us-1"}},
            "4"),
       node("n2", {{"topology.k8s.aws/ultraserver-id", "us-1"}}, "4"), node("n3", {}, "4")});
  EXPECT_EQ(topology.hosts[0].gpus.at(0).fabric_cluster, "uuid-1");
  EXPECT_EQ(topology.hosts[0].gpus.at(0).fabric_clique, 2);
  EXPECT_EQ(topology.hosts[1].gpus.at(0).fabric_cluster, "us-1");
  EXPECT_EQ(topology.hosts[2].gpus.at(0).fabric_cluster, "");
}

TEST(Kubernetes, SaysWhichNodesAreGoneOrLeaving) {
  auto gone = node("n1", {});
  gone["status"]["conditions"][0]["status"] = "Unknown";
  auto cordoned = node("n2", {});
  cordoned["spec"]["unschedulable"] = true;
  const auto topology = read({gone, cordoned,
                              node("n3", {{"sagemaker.amazonaws.com/node-health-status",
                                           "UnschedulablePendingReplacement"}})});
  EXPECT_THAT(message_of(topology, "node-not-ready"), HasSubstr("n1 is not ready (Unknown)"));
  EXPECT_EQ(count_of(topology, "node-unschedulable"), 2);
}

TEST(Kubernetes, SaysThatGpusAreMissing) {
  auto one = node("n1", {{"nvidia.com/gpu.count", "8"}}, "7");
  const auto topology = read({one});
  EXPECT_THAT(message_of(topology, "gpus-not-allocatable"), HasSubstr("offers 7 of its 8 GPUs"));
  EXPECT_EQ(topology.hosts[0].gpus.size(), 7U);
}

TEST(Kubernetes, ReadsOneNodeAndRefusesOtherLists) {
  const std::string one = to_pretty(node("n1", {}));
  EXPECT_EQ(assembled(*facts_from_json(GivenText{one, one, "f", "", ""})).hosts.size(), 1U);
  const std::string pods =
      R"({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "p"}}]})";
  EXPECT_THAT(facts_from_json(GivenText{pods, pods, "f", "", ""}).error().message,
              HasSubstr("is a Pod"));
  const std::string nameless = R"({"kind": "NodeList", "items": [{"metadata": {}}]})";
  EXPECT_THAT(facts_from_json(GivenText{nameless, nameless, "f", "", ""}).error().message,
              HasSubstr("items[0] has no metadata.name"));
}

}  // namespace
}  // namespace topolaunch::topo
