// SPDX-License-Identifier: Apache-2.0
//
// Every machine of this folder is discovered through the real dlopen path, in a process of its own,
// and compared with its expected.json, and with the table of placements worked out by hand.
// TOPOLAUNCH_ACCEPT=1 writes expected.json anew: look at the difference before you commit it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/commands.h"
#include "base/json.h"
#include "mapping/affinity.h"
#include "mapping/seats.h"
#include "tests/machine/machine_folder.h"
#include "topo/topology_json.h"

namespace topolaunch::test {
namespace {

const std::string kSource = MACHINE_SOURCE_DIR;
const std::string kBinary = MACHINE_BINARY_DIR;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What discover_dump prints on machine `name`.
std::string discover(const std::string& name) {
  std::vector<std::string> argv{"env", "-u", "HWLOC_THISSYSTEM", "-u", "HWLOC_SYNTHETIC"};
  std::istringstream variables(read(kBinary + "/" + name + "/env"));
  for (std::string line; std::getline(variables, line);) argv.push_back(line);
  argv.insert(argv.end(), {kBinary + "/discover_dump", name});
  const auto output = SystemCommands().run(argv, Seconds(60));
  if (!output) {
    ADD_FAILURE() << output.error().text();
    return {};
  }
  EXPECT_EQ(output->status, 0) << output->err;
  EXPECT_EQ(output->err, "");
  // Paths of this tree stand in origins and warnings.
  std::string text = output->out;
  for (std::size_t at; (at = text.find(kSource)) != std::string::npos;) {
    text.replace(at, kSource.size(), "tests/machine");
  }
  return text;
}

class Machine : public testing::TestWithParam<std::string> {};

TEST_P(Machine, IsDiscoveredAsExpected) {
  const std::string path = kSource + "/" + GetParam() + "/expected.json";
  const std::string found = discover(GetParam());
  if (const char* accept = std::getenv("TOPOLAUNCH_ACCEPT"); accept != nullptr && *accept == '1') {
    std::ofstream(path) << found;
    GTEST_SKIP() << "accepted as " << path;
  }
  EXPECT_EQ(found, read(path)) << "TOPOLAUNCH_ACCEPT=1 ctest -L machine accepts it";
}

struct Row {
  std::string host;
  int rank = 0;
  std::string gpu;
  std::string numa, cpus, nic;
};

/// placement.tsv: machine, rank, GPU, NUMA node, CPUs near it, nearest NIC ("-" = none).
std::vector<Row> table(const std::string& name) {
  std::vector<Row> rows;
  std::istringstream lines(read(kSource + "/placement.tsv"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.host >> row.rank >> row.gpu >> row.numa >> row.cpus >> row.nic;
    EXPECT_TRUE(words) << line;
    if (row.host == name) rows.push_back(row);
  }
  return rows;
}

TEST_P(Machine, PutsEachRankWhereTheTableSays) {
  const std::string text = discover(GetParam());
  const auto json = parse_json(text, GetParam());
  ASSERT_TRUE(json) << json.error().text();
  const auto topology = topo::topology_from_json(*json, GetParam());
  ASSERT_TRUE(topology) << topology.error().text();
  const topo::Host& host = topology->hosts.at(0);
  const auto rows = table(GetParam());
  if (host.gpus.empty()) {
    EXPECT_TRUE(rows.empty());
    return;
  }
  // The given order: GPUs in PCI order, one rank a GPU or MIG instance.
  mapping::Constraints constraints;
  constraints.ranks = static_cast<int>(rows.size());
  const auto pool = mapping::seat_pool(*topology, constraints);
  ASSERT_TRUE(pool) << pool.error().text();
  const std::vector<mapping::Seat>& seats = pool->seats;
  ASSERT_EQ(seats.size(), rows.size());
  const auto affinity = mapping::host_affinity(host, seats);
  ASSERT_EQ(affinity.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].gpu);
    EXPECT_EQ(rows[i].rank, static_cast<int>(i));
    const topo::Gpu& gpu = host.gpus[static_cast<std::size_t>(seats[i].gpu)];
    EXPECT_EQ(gpu.pci->text(), rows[i].gpu);
    const std::string numa = gpu.numa ? std::to_string(*gpu.numa) : "-";
    EXPECT_EQ(numa, rows[i].numa);
    const auto near = CpuSet::from_list(rows[i].cpus);
    ASSERT_TRUE(near);
    EXPECT_FALSE(affinity[i].cpus.empty());
    EXPECT_TRUE(near->includes(affinity[i].cpus))
        << affinity[i].cpus.to_list() << " is not within " << rows[i].cpus;
    EXPECT_EQ(affinity[i].nics.empty() ? "-" : affinity[i].nics.front(), rows[i].nic);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      EXPECT_FALSE(affinity[i].cpus.intersects(affinity[j].cpus)) << "ranks " << i << " and " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Machine, testing::ValuesIn(machine_names(kSource)), [](const auto& which) {
  std::string name = which.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
});

TEST(Machines, AreAllThatTheTableNames) {
  std::set<std::string> named;
  std::istringstream lines(read(kSource + "/placement.tsv"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') named.insert(line.substr(0, line.find('\t')));
  }
  const auto names = machine_names(kSource);
  for (const std::string& name : named) EXPECT_THAT(names, testing::Contains(name));
}

}  // namespace
}  // namespace topolaunch::test
