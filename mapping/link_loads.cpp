// SPDX-License-Identifier: Apache-2.0
//
// What flows put on the links.
#include "mapping/links.h"

#include <algorithm>

#include "mapping/constants.h"
#include "mapping/index.h"

namespace topolaunch::mapping {

using namespace constants;

namespace {
constexpr const char* kLocalLevels[] = {"nvlink", "pcie", "cpu-cpu", "memory"};
}  // namespace

void Links::load(int link, double out, double in) const {
  auto& load = phase_[ix(link)];
  if (load.out == 0 && load.in == 0) touched_.push_back(link);
  load.out += out;
  load.in += in;
}

void Links::clear_totals() const {
  std::fill(total_.begin(), total_.end(), Load());
  by_level_.clear();
  std::fill(level_bytes_.begin(), level_bytes_.end(), 0.0);
  for (double& bytes : local_bytes_) bytes = 0;
}

void Links::begin_phase() const { touched_.clear(); }

double Links::end_phase() const {
  double slowest = 0;
  for (const int l : touched_) {
    auto& load = phase_[ix(l)];
    const double rate = links_[ix(l)].rate;
    if (rate > 0) slowest = std::max(slowest, std::max(load.out, load.in) / rate);
    total_[ix(l)].out += load.out;
    total_[ix(l)].in += load.in;
    load = Load();
  }
  touched_.clear();
  return slowest;
}

void Links::nics_near(int host, const std::vector<int>& gpus) const {
  near_.clear();
  const auto& model = this->host(host);
  const auto& first = first_[ix(host)];
  if (model.nic_count() == 0) {
    near_.push_back(first.nic);
    return;
  }
  for (const int g : gpus)
    for (const int n : model.nics(g)) near_.push_back(first.nic + n);
  if (near_.empty())
    for (int n = 0; n < first.nics; ++n) near_.push_back(first.nic + n);
  std::sort(near_.begin(), near_.end());
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
}

std::pair<double, int> Links::group_net(int host, const std::vector<int>& gpus) const {
  nics_near(host, gpus);
  const auto& model = this->host(host);
  double sum = 0;
  for (const int l : near_) {
    double gbps = links_[ix(l)].rate / 1e9;
    for (const int g : gpus) gbps = std::min(gbps, std::max(model.pcie(g), 1e-3));
    double speed = gbps;
    for (const double s : kInterSpeeds)
      if (s <= gbps * (1 + 1e-9)) {
        speed = s;
        break;
      }
    sum += speed;
  }
  return {sum, count_of(near_)};
}

void Links::nic_load(int host, const std::vector<int>& gpus, double out, double in) const {
  nics_near(host, gpus);
  const double parts = count_of(near_);
  for (const int l : near_) load(l, out / parts, in / parts);
}

void Links::same_host(int host, int a, int b, double bytes) const {
  const auto& model = this->host(host);
  const auto& first = first_[ix(host)];
  if (a < 0 || b < 0) {
    if (first.memory >= 0) load(first.memory, bytes, bytes);
    local_bytes_[3] += bytes;
    return;
  }
  if (a == b) return;
  const auto road = model.road(a, b);
  if (road == Road::nvlink) {
    load(first.nvlink + a * model.gpus() + b, bytes, 0);
    local_bytes_[0] += bytes;
    return;
  }
  if (road == Road::nvswitch) {
    load(first.port + a, bytes, 0);
    load(first.port + b, 0, bytes);
    local_bytes_[0] += bytes;
    return;
  }
  load(first.pcie + a, bytes, 0);
  load(first.pcie + b, 0, bytes);
  if (road == Road::nics) {
    load(first.nic + model.nics(a).front(), bytes, 0);
    load(first.nic + model.nics(b).front(), 0, bytes);
    local_bytes_[2] += bytes;
    return;
  }
  if (road != Road::pcie_switch) {
    load(first.pcie_switch + model.pcie_switch(a), bytes, 0);
    load(first.pcie_switch + model.pcie_switch(b), 0, bytes);
  }
  if (road == Road::cpu_cpu) {
    load(first.cpu + model.socket(a), bytes, 0);
    load(first.cpu + model.socket(b), 0, bytes);
  }
  local_bytes_[road == Road::cpu_cpu ? 2 : 1] += bytes;
}

void Links::add_flow(const Seat& from, const Seat& to, double bytes) const {
  if (from.host == to.host) return same_host(from.host, from.gpu, to.gpu, bytes);
  from_.clear();
  to_.clear();
  if (from.gpu >= 0) from_.push_back(from.gpu);
  if (to.gpu >= 0) to_.push_back(to.gpu);
  add_between(from.host, from_, to.host, to_, bytes);
}

void Links::add_local(int host, const std::vector<int>& gpus, double per_gpu, double moved,
                      double tree_bytes) const {
  const auto& model = this->host(host);
  const auto& first = first_[ix(host)];
  const auto& local = model.local(gpus);
  const bool switched = std::all_of(gpus.begin(), gpus.end(), [&](int g) { return model.port(g) > 0; });
  if (switched) {
    for (const int g : gpus) load(first.port + g, per_gpu, per_gpu);
    local_bytes_[0] += moved;
    return;
  }
  if (tree_bytes > 0 && !local.chain_load.empty()) {
    for (const auto& [edge, part] : local.chain_load) {
      load(first.nvlink + edge.first * model.gpus() + edge.second, tree_bytes * part, 0);
      load(first.nvlink + edge.second * model.gpus() + edge.first, tree_bytes * part, 0);
    }
    local_bytes_[0] += moved;
    return;
  }
  if (local.nvlink) {
    // Each ring carries its part of the bytes over each of its links.
    const double each = per_gpu;
    for (const auto& [edge, part] : local.load)
      load(first.nvlink + edge.first * model.gpus() + edge.second, each * part, 0);
    local_bytes_[0] += moved;
    return;
  }
  const int n = count_of(local.order);
  const double each = moved / n;
  for (int i = 0; i < n; ++i) {
    const int a = local.order[ix(i)], b = local.order[ix((i + 1) % n)];
    if (a == b || model.road(a, b) != Road::nics) {
      same_host(host, a, b, each);
      continue;
    }
    const auto out = model.socket_nics(gpus, a), in = model.socket_nics(gpus, b);
    for (const int nic : out) load(first.nic + nic, each / count_of(out), 0);
    for (const int nic : in) load(first.nic + nic, 0, each / count_of(in));
    local_bytes_[2] += each;
  }
}

void Links::add_local_alltoall(int host, const std::vector<int>& gpus, int count, double pair) const {
  const auto& model = this->host(host);
  if (gpus.empty()) {
    const double bytes = pair * count * (count - 1);
    if (first_[ix(host)].memory >= 0) load(first_[ix(host)].memory, bytes, bytes);
    local_bytes_[3] += bytes;
    return;
  }
  if (std::all_of(gpus.begin(), gpus.end(), [&](int g) { return model.port(g) > 0; })) {
    const double each = pair * (count - 1);
    for (const int g : gpus) load(first_[ix(host)].port + g, each, each);
    local_bytes_[0] += each * count;
    return;
  }
  for (const int a : gpus)
    for (const int b : gpus) same_host(host, a, b, pair);
}

void Links::add_between(int from, const std::vector<int>& from_gpus, int to, const std::vector<int>& to_gpus,
                        double bytes) const {
  const int crossing = levels_.crossing(from, to);
  if (crossing < 0) return;
  level_bytes_[ix(crossing)] += bytes;
  // Inside one NVLink domain the switches carry it.
  if (island(from) == island(to) && !from_gpus.empty() && !to_gpus.empty()) {
    for (const int g : from_gpus) load(first_[ix(from)].port + g, bytes / count_of(from_gpus), 0);
    for (const int g : to_gpus) load(first_[ix(to)].port + g, 0, bytes / count_of(to_gpus));
    return;
  }
  nic_load(from, from_gpus, bytes, 0);
  nic_load(to, to_gpus, 0, bytes);
  for (int l = 1; l <= crossing; ++l) {
    const auto& level = levels_.levels[ix(l)];
    load(first_uplink_[ix(l)] + level.block[ix(from)], bytes, 0);
    load(first_uplink_[ix(l)] + level.block[ix(to)], 0, bytes);
  }
}

void Links::add_host_traffic(int host, const std::vector<int>& gpus, double bytes) const {
  nic_load(host, gpus, bytes, bytes);
}

void Links::add_port_traffic(int host, const std::vector<int>& gpus, double bytes) const {
  for (const int g : gpus) load(first_[ix(host)].port + g, bytes / count_of(gpus), bytes / count_of(gpus));
}

void Links::add_uplink(int level, int block, double out, double in) const {
  load(first_uplink_[ix(level)] + block, out, in);
}

void Links::count_level(const std::string& level, double bytes) const {
  if (bytes > 0) by_level_[level] += bytes;
}

double Links::weight_of(int link) const {
  const double bytes = std::max(total_[ix(link)].out, total_[ix(link)].in);
  if (!timed_) return bytes;
  return links_[ix(link)].rate > 0 ? bytes / links_[ix(link)].rate : 0;
}

Links::Busiest Links::as_busiest(int link) const {
  if (link < 0) return {};
  const double bytes = std::max(total_[ix(link)].out, total_[ix(link)].in), rate = links_[ix(link)].rate;
  return {name_of(links_[ix(link)]), bytes, rate > 0 ? bytes / rate : 0};
}

Links::Busiest Links::busiest() const {
  int best = -1;
  double most = 0;
  for (int l = 0; l < count_of(links_); ++l)
    if (const double weight = weight_of(l); weight > most * (1 + 1e-12)) best = l, most = weight;
  return as_busiest(best);
}

std::size_t Links::level_of(const Link& link) const {
  switch (link.kind) {
    case Kind::nvswitch_port:
    case Kind::nvlink: return 0;
    case Kind::pcie:
    case Kind::pcie_switch: return 1;
    case Kind::cpu: return 2;
    case Kind::memory: return 3;
    case Kind::nic: return 4;
    case Kind::uplink: return 4 + ix(link.a);
  }
  return 0;
}

std::vector<std::pair<std::string, Links::Busiest>> Links::busiest_by_level() const {
  std::vector<int> best(4 + levels_.levels.size(), -1);
  std::vector<double> most(best.size(), 0);
  for (int l = 0; l < count_of(links_); ++l) {
    const auto level = level_of(links_[ix(l)]);
    if (const double weight = weight_of(l); weight > most[level] * (1 + 1e-12)) best[level] = l, most[level] = weight;
  }
  std::vector<std::pair<std::string, Busiest>> result;
  for (std::size_t level = 0; level < best.size(); ++level)
    if (best[level] >= 0) result.emplace_back(level < 4 ? kLocalLevels[level] : levels_.levels[level - 4].name, as_busiest(best[level]));
  return result;
}

std::vector<std::pair<std::string, double>> Links::bytes_by_level() const {
  std::vector<std::pair<std::string, double>> result;
  for (std::size_t i = 0; i < 4; ++i)
    if (local_bytes_[i] > 0) result.emplace_back(kLocalLevels[i], local_bytes_[i]);
  for (int l = 0; l < count_of(levels_.levels); ++l) {
    double bytes = level_bytes_[ix(l)];
    const auto extra = by_level_.find(levels_.levels[ix(l)].name);
    if (extra != by_level_.end()) bytes += extra->second;
    if (bytes > 0) result.emplace_back(levels_.levels[ix(l)].name, bytes);
  }
  return result;
}

}  // namespace topolaunch::mapping
