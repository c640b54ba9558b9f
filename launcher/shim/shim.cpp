// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/shim.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "launcher/engine.h"
#include "launcher/shim/become.h"
#include "launcher/shim/observe.h"
#include "launcher/shim/placement.h"
#include "launcher/supervise/control.h"

namespace topolaunch::launcher {
namespace {

/// How long topolaunch may take to answer: it starts thousands of shims at most, each in
/// milliseconds.
constexpr int kAnswerMilliseconds = 60'000;

/// The rank as the engine above says it.
std::optional<int> rank_by_engine(const Environment& environment) {
  for (const char* const name : {kControlRank, "OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
    const auto value = environment.get_int(name);
    if (value && *value >= 0 && *value < 1 << 24) return static_cast<int>(*value);
  }
  return std::nullopt;
}

/// Puts the descriptors that came with the order in their places.
void take_streams(const Order& order, std::vector<Descriptor> descriptors) {
  std::size_t next = 0;
  const auto take = [&](int where) {
    if (next < descriptors.size()) ::dup2(descriptors[next++].get(), where);
  };
  if (order.has_stdin) {
    take(STDIN_FILENO);
  } else {
    const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (nothing) ::dup2(nothing.get(), STDIN_FILENO);
  }
  if (order.has_output) {
    take(STDOUT_FILENO);
    take(STDERR_FILENO);
  }
}

int give_up(const Error& error) {
  const std::string line = "topolaunch: rank not started: " + error.text() + "\n";
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  return exit_status(error.code);
}

}  // namespace

Error take_place_and_become(const Order& order, const CpuSet& keep_descriptors,
                            const Outside& outside,
                            const std::function<void(const RankObservation&)>& seen) {
  const auto no_cpus = bind_cpus(order.place.cpus);
  const auto no_memory = prefer_memory(order.place.memory_nodes);
  const Environment variables = rank_variables(order, outside.environment);
  RankObservation observation = observe_rank(order.place, variables, outside);
  if (no_memory) observation.problems.insert(observation.problems.begin(), *no_memory);
  if (no_cpus) observation.problems.insert(observation.problems.begin(), *no_cpus);
  if (seen) seen(observation);
  for (const std::string& problem : observation.problems) {
    // What could not be looked at is no difference to the plan.
    if (!order.strict || problem.find("not checked") != std::string::npos) continue;
    return {Code::validation_failed,
            "rank " + std::to_string(order.place.rank) + ": " + problem + " (--strict)",
            "leave out --strict to run all the same",
            {},
            0};
  }
  return become(order, variables, keep_descriptors);
}

int shim_main(const std::vector<std::string>&, const Outside& outside) {
  // The descriptors that topolaunch itself was given (a shell's <(...)) go on to the command.
  const CpuSet inherited = open_descriptors();
  const auto address = outside.environment.get(kControlAddress);
  const auto secret = outside.environment.get(kControlSecret);
  const auto rank = rank_by_engine(outside.environment);
  if (!address || !secret || !rank) {
    return give_up({Code::wrong_usage, "__shim is started by topolaunch, not by hand", {}, {}, 0});
  }
  auto channel = connect_control(*address);
  if (!channel) return give_up(channel.error());
  if (!channel->send(Json{{"secret", *secret}, {"rank", *rank}, {"pid", ::getpid()}})) {
    return give_up({Code::unavailable, "topolaunch has closed the control channel", {}, {}, 0});
  }
  auto answer = channel->await(kAnswerMilliseconds);
  if (!answer) return give_up(answer.error());
  auto order = order_from_json(*answer);
  if (!order) return give_up(order.error());
  take_streams(*order, channel->take_descriptors());
  // Signals are sent to the group, so that they reach what the command starts, too.
  static_cast<void>(::setpgid(0, order->process_group));
  const Error error =
      take_place_and_become(*order, inherited, outside, [&](const RankObservation& observation) {
        channel->send(Json{{"observation", to_json(observation)},
                           {"boot_seconds", outside.clock.boot_seconds()}});
      });
  channel->send(Json{
      {"error",
       {{"code", exit_status(error.code)}, {"message", error.message}, {"next", error.next}}}});
  return exit_status(error.code);
}

}  // namespace topolaunch::launcher
