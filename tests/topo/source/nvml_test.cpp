// SPDX-License-Identifier: Apache-2.0
//
// NVML in the states that the machines of tests/machine don't show, each through the loader in a
// process of its own.
#include "topo/source/nvml.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "tests/topo/source/capture.h"

namespace topolaunch::topo {
namespace {

using testing::HasSubstr;

/// Discovery with NVML answering by `profile`, and eight CPUs.
Json discover(const std::string& profile, const std::string& library = NVML_REPLAY_DIR) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/root/sys/class/net");
  std::ofstream(folder.path() + "/nvml.json") << profile;
  const auto output = SystemCommands().run(
      {"env", "LD_LIBRARY_PATH=" + library, "TOPOLAUNCH_NVML_PROFILE=" + folder.path() + "/nvml.json",
       "TOPOLAUNCH_FSROOT=" + folder.path() + "/root", "HWLOC_SYNTHETIC=pack:2 numa:1 core:4 pu:1", DISCOVER_DUMP, "h"},
      Seconds(60));
  if (!output) {
    ADD_FAILURE() << output.error().text();
    return {};
  }
  EXPECT_EQ(output->status, 0) << output->err;
  auto json = parse_json(output->out, "discover_dump");
  EXPECT_TRUE(json) << output->out;
  return json ? *json : Json();
}

std::string gpu(int number, const std::string& more = "") {
  return "{\"uuid\": \"GPU-0000000" + std::to_string(number) + "-1111-2222-3333-444444444444\", \"pci\": \"0000:0" +
         std::to_string(number) + ":00.0\", \"name\": \"NVIDIA H100\", \"memory\": 1000, \"compute_capability\": \"9.0\"" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string why(const Json& topology) {
  for (const Json& entry : topology["survey"]) {
    if (entry["source"] == "nvml") return entry["status"].get<std::string>() + ": " + entry["why"].dump();
  }
  return "no entry";
}

std::string warnings(const Json& topology) {
  std::string out;
  for (const Json& warning : topology["warnings"]) {
    out += warning["code"].get<std::string>() + ": " + warning["message"].get<std::string>() + "\n";
  }
  return out;
}

TEST(Nvml, TellsALibraryThatIsNotThereFromADriverThatIsNotLoaded) {
  const test::TemporaryFolder empty;
  std::ofstream(empty.path() + "/libnvidia-ml.so.1") << "no library";
  const std::string broken = why(discover("{}", empty.path()));
  EXPECT_THAT(broken, HasSubstr("unavailable"));
  EXPECT_THAT(broken, HasSubstr("libnvidia-ml.so.1"));
  const std::string unloaded = why(discover("{\"init\": 9}"));
  EXPECT_THAT(unloaded, HasSubstr("unavailable"));
  EXPECT_THAT(unloaded, HasSubstr("driver is not loaded"));
}

TEST(Nvml, SaysWhyItDoesNotStart) {
  EXPECT_THAT(why(discover("{\"init\": 4}")), HasSubstr("Insufficient Permissions"));
  EXPECT_THAT(why(discover("{\"init\": 4}")), HasSubstr("/dev/nvidiactl"));
  EXPECT_THAT(why(discover("{\"init\": 18}")), HasSubstr("version mismatch"));
}

TEST(Nvml, CallsNoGpusNothing) { EXPECT_THAT(why(discover("{\"gpus\": []}")), HasSubstr("nothing")); }

TEST(Nvml, LeavesOutAGpuThatIsLostBetweenTwoQuestions) {
  const Json topology = discover("{\"gpus\": [" + gpu(1) + "," +
                                 gpu(2, "\"fails\": {\"nvmlDeviceGetCpuAffinityWithinScope\": 15}") + "]}");
  EXPECT_EQ(topology["hosts"][0]["gpus"].size(), 1U);
  EXPECT_THAT(warnings(topology), HasSubstr("gpu-lost: GPU 1 (0000:02:00.0)"));
}

TEST(Nvml, KeepsAGpuOfWhichACallFailsAndSaysWhich) {
  const Json topology = discover("{\"gpus\": [" + gpu(1, "\"fails\": {\"nvmlDeviceGetName\": 999}") + "]}");
  EXPECT_EQ(topology["hosts"][0]["gpus"].size(), 1U);
  EXPECT_THAT(warnings(topology), HasSubstr("GPU 0 (0000:01:00.0): nvmlDeviceGetName: Unknown Error"));
}

TEST(Nvml, PassesOverAGpuWithoutPermission) {
  const Json topology = discover("{\"gpus\": [" + gpu(1, "\"fails\": {\"nvmlDeviceGetHandleByIndex_v2\": 4}") + "," +
                                 gpu(2) + "]}");
  EXPECT_EQ(topology["hosts"][0]["gpus"].size(), 1U);
  EXPECT_THAT(warnings(topology), testing::Not(HasSubstr("0000:01:00.0")));
}

TEST(Nvml, SaysWhichGpusItLeavesOut) {
  const std::string handle = "\"fails\": {\"nvmlDeviceGetHandleByIndex_v2\": 3}";
  const std::string names = "\"fails\": {\"nvmlDeviceGetPciInfo_v3\": 3, \"nvmlDeviceGetUUID\": 3}";
  const Json topology =
      discover("{\"gpus\": [" + gpu(1, handle) + "," + gpu(2) + "," + gpu(3, names) + "]}");
  EXPECT_EQ(topology["hosts"][0]["gpus"].size(), 1U);
  EXPECT_THAT(warnings(topology),
              HasSubstr("gpus-left-out: GPU 0 is left out: nvmlDeviceGetHandleByIndex_v2: "
                        "Not Supported"));
  EXPECT_THAT(warnings(topology), HasSubstr("gpus-left-out: GPU 2 is left out: it tells neither"));
}

TEST(Nvml, CallsGpusThatItMayNotOpenUnavailableAndNotNothing) {
  for (const char* code : {"3", "4"}) {
    SCOPED_TRACE(code);
    const std::string refused =
        std::string("\"fails\": {\"nvmlDeviceGetHandleByIndex_v2\": ") + code + "}";
    const std::string said =
        why(discover("{\"gpus\": [" + gpu(1, refused) + "," + gpu(2, refused) + "]}"));
    EXPECT_THAT(said, HasSubstr("unavailable"));
    EXPECT_THAT(said, HasSubstr("NVML counts 2 GPUs and opens none"));
  }
}

TEST(Nvml, LooksAtSoManyGpusAndSaysThatThereAreMore) {
  std::string all;
  for (int i = 0; i < 257; ++i) {
    all += (i == 0 ? "" : ",") + gpu(1);
    const std::string domain = std::to_string(1000 + i);
    all.replace(all.rfind("0000:"), 4, domain);
    all.replace(all.rfind("GPU-0000"), 8, "GPU-" + domain);
  }
  const Json topology = discover("{\"gpus\": [" + all + "]}");
  EXPECT_EQ(topology["hosts"][0]["gpus"].size(), 256U);
  EXPECT_THAT(warnings(topology),
              HasSubstr("NVML counts 257 GPUs: those behind the first 256 are left out"));
}

TEST(Nvml, TellsTheStatesOfAFabricApart) {
  const auto fabric = [](const std::string& state, const std::string& cluster) {
    return "\"fabric\": {\"state\": \"" + state + "\", \"cluster\": \"" + cluster + "\", \"clique\": 7}";
  };
  const std::string zero = "00000000-0000-0000-0000-000000000000", one = "0a1b2c3d-0000-0000-0000-000000000001";
  for (const char* newest : {"3", "2", "0"}) {  // 0: a driver that has the first call only
    SCOPED_TRACE(newest);
    const Json topology = discover(std::string("{\"fabric_struct\": ") + newest + ", \"gpus\": [" +
                                   gpu(1, fabric("completed", one)) + "," + gpu(2, fabric("completed", zero)) + "," +
                                   gpu(3, fabric("in-progress", zero)) + "," + gpu(4) + "]}");
    const Json& gpus = topology["hosts"][0]["gpus"];
    ASSERT_EQ(gpus.size(), 4U);
    EXPECT_EQ(gpus[0]["fabric_cluster"], one);
    EXPECT_EQ(gpus[0]["fabric_clique"], 7);
    EXPECT_FALSE(gpus[1].contains("fabric_cluster"));
    EXPECT_FALSE(gpus[1].contains("fabric_pending"));
    EXPECT_EQ(gpus[2]["fabric_pending"], true);
    EXPECT_FALSE(gpus[3].contains("fabric_pending"));
  }
}

TEST(Nvml, TakesALinkToNoAddressOfThisMachineForUnknownOrASwitch) {
  const Json topology = discover("{\"gpus\": [" +
                                 gpu(1, R"("nvlink": {"version": 4, "speed": 25000, "links": [
                                       {"to": "switch", "count": 3}, {"to": "unknown"}, {"to": "gpu", "pci": "0000:7f:00.0"},
                                       {"to": "npu", "pci": "0000:04:00.0"}, {"active": false, "count": 2}]})") + "]}");
  std::map<std::string, std::pair<int, int>> counts;
  for (const Json& link : topology["hosts"][0]["gpus"][0]["links"]) {
    counts[link["to"]] = {link["count"], link.value("inactive", 0)};
  }
  EXPECT_EQ(counts["nvswitch"], std::pair(3, 0));
  EXPECT_EQ(counts["unknown"], std::pair(2, 2));
  EXPECT_EQ(counts["cpu"], std::pair(1, 0));
}

TEST(Nvml, FindsAGpuByUuidByABeginningOfItByMigAndByAddress) {
  const std::vector<GpuIdentity> gpus{{0, "GPU-aaaa1111-0", *PciAddress::parse("0000:18:00.0"), {"MIG-1"}},
                                      {1, "GPU-aaaa2222-0", *PciAddress::parse("10000:18:00.0"), {}}};
  EXPECT_EQ(find_gpu(gpus, "GPU-aaaa2222-0"), &gpus[1]);
  EXPECT_EQ(find_gpu(gpus, "GPU-aaaa1"), &gpus[0]);
  EXPECT_EQ(find_gpu(gpus, "GPU-aaaa"), nullptr);  // two are meant
  EXPECT_EQ(find_gpu(gpus, "GPU-"), nullptr);
  EXPECT_EQ(find_gpu(gpus, "MIG-1"), &gpus[0]);
  EXPECT_EQ(find_gpu(gpus, "MIG-"), nullptr);
  EXPECT_EQ(find_gpu(gpus, "00000000:18:00.0"), &gpus[0]);
  EXPECT_EQ(find_gpu(gpus, "10000:18:00.0"), &gpus[1]);
  EXPECT_EQ(find_gpu(gpus, "0"), nullptr);
}

}  // namespace
}  // namespace topolaunch::topo
