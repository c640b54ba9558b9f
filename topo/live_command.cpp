// SPDX-License-Identifier: Apache-2.0
#include "topo/live_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "topo/format.h"

namespace topolaunch::topo {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& list) {
  Words words;
  std::size_t begin = 0;
  while (begin <= list.size() && !list.empty()) {
    const auto end = std::min(list.find(',', begin), list.size());
    if (end > begin) words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<Words> slurm(const std::string&) { return {{"scontrol", "show", "topology"}}; }

std::vector<Words> kubernetes(const std::string& selector) {
  Words words{"kubectl", "get", "nodes", "-o", "json"};
  if (!selector.empty()) words.insert(words.end(), {"-l", selector});
  return {words};
}

std::vector<Words> ibnetdiscover(const std::string&) { return {{"ibnetdiscover"}}; }

std::vector<Words> ec2(const std::string& list) {
  // DescribeInstanceTopology takes at most 100 ids a call; the aws command follows pages by itself.
  constexpr std::size_t kMostIds = 100;
  const Words ids = split(list);
  std::vector<Words> calls;
  for (std::size_t first = 0; first == 0 || first < ids.size(); first += kMostIds) {
    const auto last = std::min(first + kMostIds, ids.size());
    for (const char* what : {"describe-instance-topology", "describe-instances"}) {
      Words words{"aws", "ec2", what, "--output", "json"};
      if (!ids.empty()) words.emplace_back("--instance-ids");
      words.insert(words.end(), ids.begin() + static_cast<std::ptrdiff_t>(first),
                   ids.begin() + static_cast<std::ptrdiff_t>(last));
      if (std::string_view(what) == "describe-instances") {
        words.insert(words.end(), {"--query",
                                   "Reservations[].Instances[].{InstanceId:InstanceId,"
                                   "PrivateDnsName:PrivateDnsName}"});
      }
      calls.push_back(std::move(words));
    }
  }
  return calls;
}

struct Kind {
  std::string_view word;
  std::vector<Words> (*calls)(const std::string& rest);
  std::string_view otherwise;  ///< what to do where the command is not there
};
constexpr std::array<Kind, 4> kKinds{
    {{"slurm", slurm, "give Slurm's topology.conf or topology.yaml as --topology FILE"},
     {"ec2", ec2,
      "install awscli, or run elsewhere: aws ec2 describe-instance-topology >FILE, and give "
      "--topology FILE"},
     {"kubernetes", kubernetes,
      "run elsewhere: kubectl get nodes -o json >FILE, and give --topology FILE"},
     {"ibnetdiscover", ibnetdiscover,
      "install infiniband-diags, or run on a host of the fabric: ibnetdiscover >FILE, and give "
      "--topology FILE"}}};

class CommandSource final : public Source {
 public:
  CommandSource(std::string name, std::vector<Words> calls, std::string_view otherwise)
      : name_(std::move(name)), calls_(std::move(calls)), otherwise_(otherwise) {}
  std::string name() const override { return name_; }

  Result<std::vector<Fact>> look(const Outside& outside) const override {
    std::vector<Fact> all;
    for (const auto& words : calls_) {
      // A subnet of 8,192 hosts takes ibnetdiscover 5 s, a region of EC2 a minute of pages.
      const auto output = outside.commands.run(words, Seconds(120));
      if (!output) {
        return fail(Code::unavailable,
                    fmt::format("{} can't be asked: {}", words.front(), output.error().message),
                    std::string(otherwise_));
      }
      if (output->status != 0) {
        std::string said = output->err.substr(0, output->err.find('\n'));
        return fail(Code::unavailable,
                    fmt::format("{} ended with status {}{}{}", words.front(), output->status,
                                said.empty() ? "" : ": ", said.substr(0, 200)));
      }
      auto facts = facts_from_file(output->out, words.front(), {});
      if (!facts) {
        return fail(Code::unavailable, fmt::format("what {} printed can't be read: {}",
                                                   words.front(), facts.error().message));
      }
      std::ranges::move(*facts, std::back_inserter(all));
    }
    return all;
  }

 private:
  std::string name_;
  std::vector<Words> calls_;
  std::string_view otherwise_;
};

}  // namespace

std::unique_ptr<Source> live_command(const std::string& argument) {
  const auto colon = argument.find(':');
  if (colon == std::string::npos) return nullptr;
  for (const auto& kind : kKinds) {
    if (std::string_view(argument).substr(0, colon) != kind.word) continue;
    const std::string rest = argument.substr(colon + 1);
    return std::make_unique<CommandSource>(std::string(kind.word), kind.calls(rest),
                                           kind.otherwise);
  }
  return nullptr;
}

}  // namespace topolaunch::topo
