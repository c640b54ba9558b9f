// SPDX-License-Identifier: Apache-2.0
#include "topo/lint/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/lower_case.h"
#include "topo/lint/nccl_names.h"
#include "topo/lint/nccl_values.h"
#include "topo/lint/rules.h"
#include "topo/smi/lines.h"

namespace topolaunch::topo {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(smi::trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Rules that one variable decides alone: it has one of the values.
struct Simple {
  std::string_view code, name;
  std::vector<std::string_view> values;  ///< lower case; "*" = any
};

const std::vector<Simple>& simple_rules() {
  static const std::vector<Simple> all{
      {"env-launch-blocking", "CUDA_LAUNCH_BLOCKING", {"1"}},
      {"env-nccl-cumem-off", "NCCL_CUMEM_ENABLE", {"0"}},
      {"env-nccl-mnnvl-off", "NCCL_MNNVL_ENABLE", {"0"}},
      {"env-nccl-proto", "NCCL_PROTO", {"simple"}},
      {"env-nccl-algo",
       "NCCL_ALGO",
       {"ring", "tree", "collnet", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"}},
      {"env-nccl-p2p-off", "NCCL_P2P_DISABLE", {"1"}},
      {"env-nccl-p2p-off", "NCCL_P2P_LEVEL", {"loc", "0"}},
      {"env-nccl-shm-off", "NCCL_SHM_DISABLE", {"1"}},
      {"env-nccl-ib-off", "NCCL_IB_DISABLE", {"1"}},
      {"env-nccl-gdr-off", "NCCL_NET_GDR_LEVEL", {"loc", "0"}},
      {"env-nccl-pxn", "NCCL_P2P_PXN_LEVEL", {"0"}},
      {"env-nccl-pxn", "NCCL_PXN_DISABLE", {"1"}},
      {"env-nccl-channels", "NCCL_MAX_NCHANNELS", {"1", "2"}},
      {"env-nccl-channels", "NCCL_MAX_NRINGS", {"1", "2"}},
      {"env-nccl-ignore-affinity", "NCCL_IGNORE_CPU_AFFINITY", {"1"}},
      {"env-nccl-cross-nic", "NCCL_CROSS_NIC", {"1"}},
      {"env-nccl-debug", "NCCL_DEBUG", {"trace"}},
      {"env-socket-loopback", "NCCL_SOCKET_IFNAME", {"lo", "=lo"}},
      {"env-socket-loopback", "GLOO_SOCKET_IFNAME", {"lo"}},
      {"env-efa-rdma-off", "FI_EFA_USE_DEVICE_RDMA", {"0"}},
      {"env-efa-rdma-set", "FI_EFA_USE_DEVICE_RDMA", {"1"}},
      {"env-efa-provider", "FI_PROVIDER", {"efa"}},
  };
  return all;
}

class Checks {
 public:
  Checks(const std::vector<Variable>& variables, const EnvironmentPlace& place)
      : variables_(variables), place_(place) {}

  std::vector<Warning> run() {
    for (const auto& variable : variables_) {
      if (const auto bad = bad_nccl_value(variable.name, variable.value); !bad.empty()) {
        add("env-nccl-value", variable,
            fmt::format("{}={}: {}", variable.name, variable.value, bad));
        continue;
      }
      for (const auto& rule : simple_rules()) {
        const auto& values = rule.values;
        if (variable.name != rule.name) continue;
        if (std::find(values.begin(), values.end(), lower_case(variable.value)) == values.end())
          continue;
        add(rule.code, variable, fmt::format("{}={}", variable.name, variable.value));
      }
      if (const std::string meant = misspelt_nccl_name(variable.name); !meant.empty()) {
        add("env-nccl-unknown", variable,
            fmt::format("NCCL reads no {}: {} was meant?", variable.name, meant));
      }
      if (variable.name == "CUDA_VISIBLE_DEVICES") mask(variable);
      if (variable.name == "NCCL_IB_HCA") adapters(variable);
      if (variable.name == "NCCL_TOPO_FILE" && !variable.value.empty()) {
        add("env-nccl-topo-file", variable, fmt::format("NCCL_TOPO_FILE={}", variable.value));
      }
    }
    return std::move(found_);
  }

 private:
  void add(std::string_view code, const Variable& variable, std::string message) {
    found_.push_back(finding(std::string(code), place_.file, variable.line, std::move(message)));
  }

  const Variable* find(std::string_view name) const {
    for (const auto& variable : variables_) {
      if (variable.name == name) return &variable;
    }
    return nullptr;
  }

  /// How many ranks share a host: said by whoever started them.
  int ranks_per_host() const {
    if (place_.ranks_per_host > 0) return place_.ranks_per_host;
    constexpr std::array<std::string_view, 6> names{
        "LOCAL_WORLD_SIZE",      "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
        "SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE",  "SLURM_TASKS_PER_NODE"};
    int most = 0;
    for (const auto name : names) {
      const auto* variable = find(name);
      if (variable == nullptr) continue;
      const std::string_view value = variable->value;  // "8", "8(x2)", "16,3,1"
      most =
          std::max(most, smi::whole_number(value.substr(0, value.find_first_of("(,"))).value_or(0));
    }
    return most;
  }

  void mask(const Variable& variable) {
    if (smi::trimmed(variable.value).empty() || variable.value == "-1" ||
        lower_case(variable.value) == "nodevfiles") {
      add("env-mask-empty", variable, fmt::format("CUDA_VISIBLE_DEVICES={}", variable.value));
      return;
    }
    const auto entries = split(variable.value, ',');
    std::set<std::string> seen;
    bool numbers = false;
    for (const auto& entry : entries) {
      if (!seen.insert(lower_case(entry)).second) {
        add("env-mask-repeated", variable,
            fmt::format("CUDA_VISIBLE_DEVICES={} names {} twice", variable.value, entry));
      }
      const auto number = smi::whole_number(entry);
      numbers = numbers || number.has_value();
      if (unknown(entry, number)) {
        add("env-mask-unknown", variable,
            fmt::format("CUDA_VISIBLE_DEVICES={}: there is no GPU {}", variable.value, entry));
      }
    }
    const auto* order = find("CUDA_DEVICE_ORDER");
    if (numbers && entries.size() > 1 && (order == nullptr || order->value != "PCI_BUS_ID")) {
      add("env-device-order", variable,
          fmt::format("CUDA_VISIBLE_DEVICES={} without CUDA_DEVICE_ORDER=PCI_BUS_ID",
                      variable.value));
    }
    if (const int ranks = ranks_per_host();
        entries.size() == 1 && ranks > 1 && !is_mig(entries[0])) {
      add("env-one-gpu-mask", variable,
          fmt::format(
              "CUDA_VISIBLE_DEVICES={} with {} ranks on the host: the peers' GPUs are hidden",
              variable.value, ranks));
    }
  }

  /// MIG is the exception: CUDA shows a process one instance.
  static bool is_mig(const std::string& entry) { return entry.starts_with("MIG-"); }

  /// Nothing is unknown on a host of which no GPU is known.
  bool unknown(const std::string& entry, std::optional<int> number) const {
    if (entry.empty()) return true;
    if (!number && !entry.starts_with("GPU-") && !is_mig(entry)) return true;
    if (place_.host == nullptr || place_.host->gpus.empty()) return false;
    const auto& gpus = place_.host->gpus;
    if (number) return static_cast<std::size_t>(*number) >= gpus.size();
    return std::none_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
      return gpu.uuid.empty() || gpu.uuid.starts_with(entry) ||
             std::any_of(gpu.mig.begin(), gpu.mig.end(),
                         [&](const MigInstance& mig) { return mig.uuid.starts_with(entry); });
    });
  }

  /// "mlx5_0:1,mlx5_1", "=mlx5_0", "^mlx5_3": prefixes, exact names, exceptions.
  void adapters(const Variable& variable) {
    std::string_view value = variable.value;
    if (place_.host == nullptr || value.starts_with("^")) return;
    const bool exact = value.starts_with("=");
    if (exact) value.remove_prefix(1);
    const auto& nics = place_.host->nics;
    if (std::none_of(nics.begin(), nics.end(), [](const Nic& nic) { return nic.rdma; })) return;
    for (const auto& entry : split(value, ',')) {
      const auto name = entry.substr(0, entry.find(':'));
      const bool known = std::any_of(nics.begin(), nics.end(), [&](const Nic& nic) {
        return exact ? nic.name == name : nic.name.starts_with(name);
      });
      if (!name.empty() && !known) {
        add("env-nccl-hca", variable,
            fmt::format("NCCL_IB_HCA={}: {} has no {}", variable.value, place_.host->name, name));
      }
    }
  }

  const std::vector<Variable>& variables_;
  const EnvironmentPlace& place_;
  std::vector<Warning> found_;
};

}  // namespace

std::vector<Variable> variables_of(std::string_view text) {
  std::vector<Variable> variables;
  for (const auto& line : smi::lines_of(text)) {
    std::string_view rest = smi::trimmed(line.text);
    if (rest.starts_with("export ")) rest = smi::trimmed(rest.substr(7));
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos || !is_name(rest.substr(0, equals))) continue;
    std::string_view value = rest.substr(equals + 1);
    const bool quoted = !value.empty() && (value[0] == '"' || value[0] == '\'');
    if (quoted) {
      const auto end = value.rfind(value[0]);
      value = value.substr(1, end > 0 ? end - 1 : std::string_view::npos);
    } else {
      value = smi::trimmed(value.substr(0, value.find(" #")));
    }
    variables.push_back({std::string(rest.substr(0, equals)), std::string(value), line.number});
  }
  return variables;
}

std::vector<Warning> check_environment(const std::vector<Variable>& variables,
                                       const EnvironmentPlace& place) {
  return Checks(variables, place).run();
}

}  // namespace topolaunch::topo
