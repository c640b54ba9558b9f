// SPDX-License-Identifier: Apache-2.0
//
// Links: every link of the machine with the bytes that a phase, and the whole step, puts on it, each
// direction for itself. A link's load is the larger of its two directions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mapping/host_model.h"
#include "mapping/levels.h"
#include "mapping/solution.h"
#include "topo/topology.h"

namespace topolaunch::mapping {

class Links {
 public:
  explicit Links(const topo::Topology& topology);

  const HostModel& host(int h) const { return *models_[static_cast<std::size_t>(model_of_host_[static_cast<std::size_t>(h)])]; }
  const Levels& levels() const { return levels_; }
  /// Hosts whose GPUs share an NVLink domain have one number: NCCL takes them for one machine.
  int island(int host) const { return island_of_host_[static_cast<std::size_t>(host)]; }
  bool islands_of_hosts() const { return islands_of_hosts_; }
  /// False where nothing is known of any link: no GPU, no NIC, no rate.
  bool timed() const { return timed_; }

  /// GB/s and channels with which a group's GPUs on a host reach other hosts.
  std::pair<double, int> group_net(int host, const std::vector<int>& gpus) const;

  void clear_totals() const;
  void begin_phase() const;
  /// Seconds of the busiest link of the phase; adds the phase to the totals.
  double end_phase() const;

  /// `bytes` from seat to seat over whatever lies between.
  void add_flow(const Seat& from, const Seat& to, double bytes) const;
  /// A collective inside a host: `per_gpu` bytes out of and into every GPU, `moved` in all.
  /// `tree_bytes` > 0: a tree that carries so much up and down again.
  void add_local(int host, const std::vector<int>& gpus, double per_gpu, double moved, double tree_bytes) const;
  /// Every ordered pair of `count` ranks of a host exchanges `pair` bytes.
  void add_local_alltoall(int host, const std::vector<int>& gpus, int count, double pair) const;
  /// `bytes` from the group's part on one host to its part on another, over the NICs near its GPUs.
  void add_between(int from, const std::vector<int>& from_gpus, int to, const std::vector<int>& to_gpus,
                   double bytes) const;
  /// `bytes` out of and into a host over the NICs near `gpus`, wherever they go.
  void add_host_traffic(int host, const std::vector<int>& gpus, double bytes) const;
  /// `bytes` out of and into the NVSwitch ports of `gpus` in all.
  void add_port_traffic(int host, const std::vector<int>& gpus, double bytes) const;
  void add_uplink(int level, int block, double out, double in) const;
  void count_level(const std::string& level, double bytes) const;

  struct Busiest {
    std::string name;
    double bytes = 0, seconds = 0;
  };
  Busiest busiest() const;
  /// Of each level that carries anything, inner levels first: "nvlink", "pcie", "cpu-cpu", "memory", then the
  /// fabric's, a host's NICs being what "host" crosses.
  std::vector<std::pair<std::string, Busiest>> busiest_by_level() const;
  std::vector<std::pair<std::string, double>> bytes_by_level() const;  ///< inner levels first

 private:
  enum class Kind { nvswitch_port, nvlink, pcie, pcie_switch, cpu, memory, nic, uplink };
  struct Link {
    Kind kind;
    int host, a, b;  ///< uplink: level and block in a, b
    double rate;     ///< bytes per second; 0 = unknown, never a bottleneck
  };
  void number_islands();
  int add_link(Kind kind, int host, int a, int b, double gbps);
  std::string name_of(const Link& link) const;
  std::size_t level_of(const Link& link) const;  ///< place in busiest_by_level() with all levels
  Busiest as_busiest(int link) const;            ///< -1 = none
  double weight_of(int link) const;              ///< by which the busiest is chosen; 0 = not at all
  void load(int link, double out, double in) const;
  void nic_load(int host, const std::vector<int>& gpus, double out, double in) const;
  void nics_near(int host, const std::vector<int>& gpus) const;  ///< fills near_
  void same_host(int host, int a, int b, double bytes) const;

  const topo::Topology& topology_;
  Levels levels_;
  bool timed_ = false;
  std::vector<std::unique_ptr<HostModel>> models_;
  std::vector<int> model_of_host_, island_of_host_;
  bool islands_of_hosts_ = false;

  std::vector<Link> links_;
  /// First link of each kind by host; -1 = none. nvlink is n x n.
  struct First {
    int port = -1, nvlink = -1, pcie = -1, pcie_switch = -1, cpu = -1, memory = -1, nic = -1;
    int nics = 0;
  };
  std::vector<First> first_;
  std::vector<int> first_uplink_;  ///< by level

  struct Load {
    double out = 0, in = 0;
  };
  mutable std::vector<Load> phase_, total_;
  mutable std::vector<int> touched_;
  mutable std::vector<int> near_, from_, to_;  ///< scratch
  mutable std::map<std::string, double> by_level_;
  mutable std::vector<double> level_bytes_;  ///< by fabric level
  mutable double local_bytes_[4] = {0, 0, 0, 0};  ///< nvlink, pcie, cpu-cpu, memory
};

}  // namespace topolaunch::mapping
