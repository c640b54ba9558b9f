// SPDX-License-Identifier: Apache-2.0
#include "launcher/job_machine.h"

#include <utility>

#include "base/own_host.h"
#include "launcher/hosts/probe.h"
#include "launcher/machine.h"

namespace topolaunch::launcher {

Result<HostMachine> machine_to_think_of(const TopologyOptions& said,
                                        const std::vector<std::string>& excluded,
                                        const Outside& outside) {
  auto probed = with_probe(said, outside);
  if (!probed) return fail(std::move(probed).error());
  const TopologyOptions& options = *probed;
  auto hosts = hosts_named(options, outside);
  if (!hosts) return fail(std::move(hosts).error());
  if (!hosts->empty()) return look_at_hosts(std::move(*hosts), options, excluded, outside);
  auto topology = look_at(options, outside);
  if (!topology) return fail(std::move(topology).error());
  HostMachine machine;
  machine.topology = std::move(*topology);
  return machine;
}

Result<HostMachine> machine_to_start_on(const TopologyOptions& said,
                                        const std::vector<JobHost>& hosts,
                                        const std::vector<std::string>& excluded,
                                        const Outside& outside) {
  auto probed = with_probe(said, outside);
  if (!probed) return fail(std::move(probed).error());
  const TopologyOptions& options = *probed;
  if (!hosts.empty()) return look_at_hosts(hosts, options, excluded, outside);
  HostMachine machine;
  auto topology = look_at(options, outside);
  if (!topology) return fail(std::move(topology).error());
  machine.topology = std::move(*topology);
  if (!machine.topology.live) {
    if (Status ok = take_as_this_machine(machine.topology, own_host_name()); !ok) {
      return fail(std::move(ok).error());
    }
  }
  return machine;
}

VisibleGpus usable_gpus(HostMachine& machine, const Environment& environment, const Voice& voice) {
  topo::Host& first = machine.topology.hosts.front();
  if (!machine.hosts.empty()) {
    if (environment.has("CUDA_VISIBLE_DEVICES")) {
      voice.say("CUDA_VISIBLE_DEVICES is about this host: over --hosts all GPUs of each are used");
    }
    return visible_gpus(first, Environment());
  }
  VisibleGpus visible = visible_gpus(first, environment);
  if (visible.devices.empty() && !first.gpus.empty()) {
    voice.say(visible.given ? "CUDA_VISIBLE_DEVICES hides all GPUs: placed on CPUs"
                            : "no GPU can be used: placed on CPUs");
    first.gpus.clear();
    first.p2p.clear();
  }
  return visible;
}

Result<HostsWanted> hosts_wanted(const TopologyOptions& options, const Outside& outside) {
  auto hosts = hosts_named(options, outside);
  if (!hosts) return fail(std::move(hosts).error());
  HostsWanted wanted;
  auto alone = this_host_alone(*hosts);
  if (!alone) return fail(std::move(alone).error());
  if (*alone) {
    wanted.own_slots = (*alone)->slots;
  } else {
    wanted.hosts = std::move(*hosts);
  }
  return wanted;
}

}  // namespace topolaunch::launcher
