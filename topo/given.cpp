// SPDX-License-Identifier: Apache-2.0
#include "topo/given.h"

#include <algorithm>

#include "base/input_file.h"
#include "topo/ec2.h"
#include "topo/live_command.h"
#include "topo/source/hwloc.h"
#include "topo/source/sysfs.h"
#include "topo/synthetic.h"
#include "topo/tree_spec.h"

namespace topolaunch::topo {
namespace {

/// Facts that were read when the argument was looked at; look() hands them out.
class GivenSource final : public Source {
 public:
  GivenSource(std::string name, std::vector<Fact> facts)
      : name_(std::move(name)), facts_(std::move(facts)) {}
  std::string name() const override { return name_; }
  Result<std::vector<Fact>> look(const Outside&) const override { return facts_; }
  std::vector<Fact>& facts() { return facts_; }

 private:
  std::string name_;
  std::vector<Fact> facts_;
};

/// A folder that holds another machine's /sys and /proc.
bool is_captured_machine(const std::string& folder, const Files& files) {
  return files.exists(folder + "/sys/devices/system/cpu");
}

constexpr std::string_view kSynthetic = "synthetic:";
constexpr std::string_view kTree = "tree:";

/// FILE#NAME, where no file has that name whole: where the name begins; npos = it doesn't.
std::size_t part_of(const std::string& argument, const Files& files) {
  return files.exists(argument) ? std::string::npos : argument.rfind('#');
}

Result<std::vector<Fact>> facts_from_folder(const std::string& folder, const Outside& outside,
                                            const std::string& host) {
  const RootedFiles captured(folder);
  Environment environment;
  environment.set("TOPOLAUNCH_FSROOT", folder);
  const Outside where{captured, outside.commands, outside.clock, environment};
  std::vector<Fact> all;
  const HwlocSource cpus(host);
  const SysfsSource devices(host);
  for (const Source* source : {static_cast<const Source*>(&cpus), static_cast<const Source*>(&devices)}) {
    auto facts = source->look(where);
    if (!facts && source == &devices) continue;  // CPUs alone are a machine
    if (!facts) return fail(std::move(facts).error().at(folder));
    for (auto& fact : *facts) {
      const auto* said = std::get_if<WarningFact>(&fact.what);
      if (said != nullptr && said->warning.code == "not-this-machine") continue;  // as was asked for
      fact.origin.file = folder;
      all.push_back(std::move(fact));
    }
  }
  return all;
}

Result<std::unique_ptr<Source>> given_source(const std::string& argument,
                                             const std::vector<double>& distance,
                                             const Outside& outside, const std::string& host) {
  const auto source = [](std::string name, std::vector<Fact> facts) -> std::unique_ptr<Source> {
    return std::make_unique<GivenSource>(std::move(name), std::move(facts));
  };
  if (argument.starts_with(kSynthetic)) {
    const auto spec = parse_synthetic(std::string_view(argument).substr(kSynthetic.size()));
    if (!spec) return tl::unexpected(spec.error());
    return source("synthetic", synthetic_facts(*spec));
  }
  if (argument.starts_with(kTree)) {
    const auto spec = parse_tree(std::string_view(argument).substr(kTree.size()), distance);
    if (!spec) return tl::unexpected(spec.error());
    return source("tree", tree_facts(*spec));
  }
  if (auto live = live_command(argument)) return live;
  if (is_captured_machine(argument, outside.files)) {
    auto facts = facts_from_folder(argument, outside, host);
    if (!facts) return tl::unexpected(std::move(facts.error()));
    return source("folder " + argument, std::move(*facts));
  }
  // FILE#NAME: one of the topologies that the file holds.
  std::string file = argument, part;
  if (const auto hash = part_of(argument, outside.files); hash != std::string::npos) {
    file = argument.substr(0, hash);
    part = argument.substr(hash + 1);
  }
  const auto text = read_input(outside.files, file);
  if (!text) return fail(Error(text.error()).try_next("a spec begins with synthetic: or tree:"));
  auto facts = facts_from_file(*text, file, host, part);
  if (!facts) return tl::unexpected(std::move(facts.error()));
  const std::string kind = facts->empty() ? "file" : facts->front().origin.source;
  return source(kind + " " + argument, std::move(*facts));
}

}  // namespace

bool is_whole_file(const std::string& argument, const Files& files) {
  return !argument.starts_with(kSynthetic) && !argument.starts_with(kTree) &&
         live_command(argument) == nullptr && !is_captured_machine(argument, files) &&
         part_of(argument, files) == std::string::npos;
}

Result<Sources> given_sources(const std::vector<std::string>& topologies,
                              const std::vector<double>& distance, const Outside& outside,
                              const std::string& host) {
  const auto is_tree = [](const std::string& argument) { return argument.starts_with(kTree); };
  if (!distance.empty() && std::ranges::none_of(topologies, is_tree)) {
    return fail(Code::wrong_usage, "--distance is of the levels of a tree: SPEC, and there is none",
                "--topology tree:8:4 --distance 1:10, or leave it out beside --distances");
  }
  Sources sources;
  std::vector<std::vector<Fact>*> read;
  for (const auto& argument : topologies) {
    auto source = given_source(argument, distance, outside, host);
    if (!source) return tl::unexpected(std::move(source.error()));
    if (auto* given = dynamic_cast<GivenSource*>(source->get())) read.push_back(&given->facts());
    sources.push_back(std::move(*source));
  }
  join_ec2_pages(std::move(read));
  return sources;
}

}  // namespace topolaunch::topo
