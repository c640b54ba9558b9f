// SPDX-License-Identifier: Apache-2.0
//
// The agent's wrapper: mpirun starts it in place of ssh, once a host. It asks topolaunch for the
// agent's own words and for what the host's keeper has to know (addresses, the one-time secret),
// puts that into the agent's standard input, where nobody else can read it, and becomes the agent.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/engine.h"
#include "launcher/json_fields.h"
#include "launcher/shim/order.h"
#include "launcher/supervise/control.h"
#include "launcher/supervise/host_keeper.h"
#include "launcher/supervise/network.h"

namespace topolaunch::launcher {
namespace {

constexpr int kAnswerMilliseconds = 60'000;

int give_up(const Error& error) {
  const std::string line = "topolaunch: " + error.text() + "\n";
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  return exit_status(error.code);
}

struct Answer {
  std::vector<std::string> agent;
  HostHello hello;
};

Result<Answer> ask_topolaunch(const std::string& host, const Environment& environment) {
  const auto address = environment.get(kControlAddress);
  const auto secret = environment.get(kControlSecret);
  if (!address || !secret) {
    return fail(Code::wrong_usage, "__agent is started by mpirun under topolaunch, not by hand");
  }
  auto channel = connect_control(*address);
  if (!channel) return fail(std::move(channel).error());
  if (!channel->send(Json{{"secret", *secret}, {"agent", host}})) {
    return fail(Code::unavailable, "topolaunch has closed the control channel");
  }
  auto json = channel->await(kAnswerMilliseconds);
  if (!json) return fail(std::move(json).error());
  JsonFields in(*json, "answer", "");
  Answer answer;
  answer.agent = in.texts("agent");
  const Json* const hello = in.object("hello");
  if (in.error() || answer.agent.empty()) return fail(Code::internal, "no agent in the answer");
  auto told = host_hello_from_json(*hello);
  if (!told) return fail(std::move(told).error());
  answer.hello = std::move(*told);
  return answer;
}

/// A pipe with `line` in it and nothing behind; none if it can't be had.
Descriptor input_with(const std::string& line) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor write_end(ends[1]);
  Descriptor read_end(ends[0]);
  // A pipe takes 64 KiB without a reader; a line is shorter.
  ::fcntl(write_end.get(), F_SETFL, O_NONBLOCK);
  const ssize_t n = ::write(write_end.get(), line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size())) return {};
  return read_end;
}

}  // namespace

int agent_main(const std::vector<std::string>& argv, const Outside& outside) {
  if (argv.size() < 2) {
    return give_up({Code::wrong_usage, "__agent is started by mpirun, not by hand", {}, {}, 0});
  }
  auto answer = ask_topolaunch(argv[0], outside.environment);
  if (!answer) return give_up(answer.error());
  // Likeliest first: the address that this host has on the way there.
  std::vector<std::string>& addresses = answer->hello.addresses;
  const auto first = std::ranges::find(addresses, address_towards(argv[0]));
  if (first != addresses.end()) std::rotate(addresses.begin(), first, first + 1);
  const Descriptor input = input_with(to_line(to_json(answer->hello)) + "\n");
  if (!input) return give_up({Code::internal, "no pipe for the agent's input", {}, {}, 0});
  ::dup2(input.get(), STDIN_FILENO);

  std::vector<std::string> words = answer->agent;
  words.insert(words.end(), argv.begin(), argv.end());
  Environment variables = outside.environment;
  for (const char* const name : {kControlAddress, kControlSecret}) variables.unset(name);
  const std::vector<std::string> entries = variables.entries();
  std::vector<char*> arguments, environment;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : entries) environment.push_back(const_cast<char*>(entry.c_str()));
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  ::execvpe(arguments[0], arguments.data(), environment.data());
  return give_up({Code::unavailable,
                  "can't start the agent " + words[0] + ": " + std::strerror(errno), {}, {}, 0});
}

}  // namespace topolaunch::launcher
