// SPDX-License-Identifier: Apache-2.0
//
// The grammar of "synthetic:" specs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "topo/link_speed.h"
#include "topo/synthetic.h"
#include "topo/synthetic_tokens.h"

namespace topolaunch::topo {
namespace {

using Links = ServerModel::Links;

enum class Unit { host, gpu, nic, socket, numa, core, thread };

struct UnitWord {
  std::string_view word;
  Unit unit;
};
constexpr std::array<UnitWord, 12> kUnits{{{"host", Unit::host},
                                           {"node", Unit::host},  // as people say it
                                           {"machine", Unit::host},
                                           {"gpu", Unit::gpu},
                                           {"nic", Unit::nic},
                                           {"hca", Unit::nic},
                                           {"socket", Unit::socket},
                                           {"package", Unit::socket},
                                           {"numa", Unit::numa},
                                           {"core", Unit::core},
                                           {"cpu", Unit::core},
                                           {"thread", Unit::thread}}};
/// What the units count, in the order of Unit.
constexpr std::array<std::string_view, 7> kCounts{
    "number of hosts",      "number of GPUs",  "number of NICs",   "number of sockets",
    "number of NUMA nodes", "number of cores", "number of threads"};
constexpr std::array<std::string_view, 3> kFanIns{"hosts of a leaf", "leaves of a spine",
                                                  "spines of a core"};

Error at_word(const SpecToken& token, std::string_view why) {
  return Error{Code::wrong_usage,
               fmt::format("synthetic: '{}' (character {}) {}", token.text, token.at + 1, why),
               {}, {}, 0};
}

std::string known_words() {
  std::vector<std::string_view> models;
  for (const auto& model : gpu_models()) models.push_back(model.word);
  return fmt::format(
      "units: host gpu nic socket numa core thread; GPUs: {}; links: nvswitch mesh pcie nvl72; "
      "NICs: {}; network: 4 host/leaf, 8 leaf/spine, 4:1",
      fmt::join(models, " "), fmt::join(network_rate_names(), " "));
}

class Parser {
 public:
  Result<SyntheticSpec> parse(std::string_view text) {
    const auto tokens = spec_tokens(text);
    if (tokens.empty()) {
      return fail(Code::wrong_usage, "synthetic: the spec is empty", known_words());
    }
    std::optional<int> number;
    SpecToken number_token;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      SpecToken token = tokens[i];
      // "4 hosts per leaf" is "4 host/leaf".
      if (i + 2 < tokens.size() && tokens[i + 1].text == "per") {
        token.text += "/" + tokens[i + 2].text;
        i += 2;
      }
      Status done;
      if (const auto value = number_of(token)) {
        if (number) return fail(at_word(number_token, "is a number without a unit").try_next(
            known_words()));
        number = value;
        number_token = token;
        continue;
      }
      if (const auto ratio = ratio_of(token)) {
        spec_.oversubscription.push_back(*ratio);
        continue;
      }
      done = word(token, number);
      if (!done) return tl::unexpected(std::move(done.error()));
    }
    if (number) {
      return fail(at_word(number_token, "is a number without a unit").try_next(known_words()));
    }
    return finish();
  }

 private:
  /// Takes the number that stands before the word, if there is one.
  static Result<int> take(const SpecToken& token, std::optional<int>& number, int fallback,
                          int least, int most) {
    const int value = number.value_or(fallback);
    number.reset();
    if (value < least || value > most) {
      return fail(at_word(token, fmt::format("may be from {} to {}", least, most)));
    }
    return value;
  }
  /// Refuses what was said before: of two numbers or models one would be passed over.
  Status once(const SpecToken& token, std::string_view what) {
    if (said_.insert(what).second) return {};
    return fail(
        at_word(token, fmt::format("says the {} a second time", what))
            .try_next("a spec describes hosts of one kind: several --topology for several"));
  }
  Status count(const SpecToken& token, std::optional<int>& number, int most, std::string_view what,
               std::optional<int>& into) {
    if (auto first = once(token, what); !first) return first;
    if (!number) return fail(at_word(token, "needs a number in front of it"));
    auto value = take(token, number, 0, 0, most);
    if (!value) return tl::unexpected(std::move(value.error()));
    into = *value;
    return {};
  }

  Status word(const SpecToken& token, std::optional<int>& number) {
    const std::string name = singular(token.text);
    if (const auto level = fan_in_of(token.text)) {
      std::optional<int> value;
      if (auto done =
              count(token, number, 131072, kFanIns[static_cast<std::size_t>(*level)], value);
          !done)
        return done;
      if (*value == 0) return fail(at_word(token, "may not be 0"));
      fan_in_[static_cast<std::size_t>(*level)] = *value;
      return {};
    }
    for (const auto& unit : kUnits) {
      if (name == unit.word) return set_unit(unit.unit, token, number);
    }
    for (const auto& model : gpu_models()) {
      if (token.text != model.word) continue;
      if (number) {
        if (auto done = count(token, number, 64, kCounts[1], gpus_); !done) return done;
      }
      if (auto first = once(token, "GPU model"); !first) return first;
      spec_.model = &model;
      return {};
    }
    if (name == "nvswitch" || name == "nvlink") {
      return set_links(token, Links::nvswitch);
    } else if (name == "mesh" || name == "cubemesh" || name == "cube-mesh" || name == "dgx1v") {
      return set_links(token, Links::mesh);
    } else if (name == "pcie") {
      return set_links(token, Links::none);
    } else if (token.text.starts_with("nvl") && number_of({token.text.substr(3), 0})) {
      if (auto first = once(token, "NVLink domain"); !first) return first;
      spec_.domain_gpus = *number_of({token.text.substr(3), 0});
      return set_links(token, Links::nvswitch);
    } else if (const auto rate = network_rate(token.text)) {
      if (number) {
        if (auto done = count(token, number, 64, kCounts[2], nics_); !done) return done;
      }
      // "16 efa 200g": EFA of another rate than the usual one.
      if (auto first = once(token, name == "efa" ? "kind of NIC" : "rate of NICs"); !first)
        return first;
      spec_.nic_rate = *rate;
      spec_.efa = spec_.efa || name == "efa";
      if (!nics_) nics_said_by_rate_ = true;
    } else {
      return fail(at_word(token, "is no word of the spec").try_next("known are " + known_words()));
    }
    return {};
  }

  Status set_links(const SpecToken& token, Links links) {
    if (links_.value_or(links) != links)
      return fail(at_word(token, "contradicts the links that were said before"));
    links_ = links;
    return {};
  }

  Status set_unit(Unit unit, const SpecToken& token, std::optional<int>& number) {
    std::optional<int> value;
    // "gpu h100" without a number leaves the number to the model.
    if (!number && (unit == Unit::gpu || unit == Unit::nic)) return {};
    constexpr std::array<int, 7> most{131072, 64, 64, 64, 64, 4096, 8};
    const auto at = static_cast<std::size_t>(unit);
    if (auto done = count(token, number, most[at], kCounts[at], value); !done) return done;
    if (*value == 0 && unit != Unit::gpu && unit != Unit::nic) {
      return fail(at_word(token, "may not be 0"));
    }
    switch (unit) {
      case Unit::host: spec_.hosts = *value; break;
      case Unit::gpu: gpus_ = value; break;
      case Unit::nic: nics_ = value; break;
      case Unit::socket: sockets_ = value; break;
      case Unit::numa: numa_ = value; break;
      case Unit::core: cores_ = value; break;
      case Unit::thread: spec_.threads = *value; threads_said_ = true; break;
    }
    return {};
  }

  Result<SyntheticSpec> finish() {
    if (gpus_.value_or(0) > 0 && spec_.model == nullptr) {
      std::vector<std::string_view> models;
      for (const auto& model : gpu_models()) models.push_back(model.word);
      return fail(Code::wrong_usage, "synthetic: GPUs without a model",
                  fmt::format("say which, as in \"8 gpu h100\"; known are {}",
                              fmt::join(models, " ")));
    }
    const ServerModel* model = spec_.model;
    spec_.gpus = gpus_.value_or(model != nullptr ? model->gpus : 0);
    if (spec_.gpus == 0) model = spec_.model = nullptr;
    spec_.links = model == nullptr ? Links::none : links_.value_or(usual_links(*model));
    if (spec_.links == Links::mesh && spec_.gpus > 8) {
      return fail(Code::wrong_usage, "synthetic: the cube mesh has at most 8 GPUs",
                  "say nvswitch for more");
    }
    spec_.nics = nics_.value_or(nics_said_by_rate_ ? std::max(1, spec_.gpus) : 0);
    if (spec_.nics > 0 && !spec_.nic_rate.known()) {
      spec_.nic_rate = *network_rate(model == nullptr ? "edr" : model->nic);
    }
    spec_.sockets = sockets_.value_or(numa_ ? std::min(*numa_, 2) : model == nullptr ? 1 : 2);
    spec_.numa = numa_.value_or(spec_.sockets);
    spec_.cores = cores_.value_or(model == nullptr ? 8 * spec_.numa : model->cores);
    if (!threads_said_) spec_.threads = model != nullptr && !model->grace ? 2 : 1;
    if (spec_.numa < spec_.sockets || spec_.cores < spec_.numa) {
      return fail(Code::wrong_usage,
                  fmt::format("synthetic: {} sockets, {} NUMA nodes and {} cores do not fit: every "
                              "socket has a NUMA node and every NUMA node a core",
                              spec_.sockets, spec_.numa, spec_.cores));
    }
    if (model != nullptr && model->grace && spec_.domain_gpus == 0 && spec_.gpus > 1) {
      spec_.domain_gpus = 72;
    }
    if (spec_.domain_gpus > 0 && spec_.gpus > 0 && spec_.domain_gpus % spec_.gpus != 0) {
      return fail(Code::wrong_usage,
                  fmt::format("synthetic: an NVLink domain of {} GPUs is no whole number of hosts "
                              "of {} GPUs",
                              spec_.domain_gpus, spec_.gpus));
    }
    if (static_cast<long>(spec_.hosts) * (spec_.gpus + spec_.nics) > 4'000'000) {
      return fail(Code::wrong_usage, "synthetic: more than 4,000,000 GPUs and NICs");
    }
    for (std::size_t level = 0; level < fan_in_.size(); ++level) {
      if (!fan_in_[level]) break;
      spec_.fan_in.push_back(*fan_in_[level]);
    }
    const auto said = static_cast<std::size_t>(
        std::count_if(fan_in_.begin(), fan_in_.end(), [](const auto& f) { return f.has_value(); }));
    if (said != spec_.fan_in.size()) {
      return fail(Code::wrong_usage, "synthetic: a level of the network is missing",
                  "give host/leaf before leaf/spine before spine/core");
    }
    if (spec_.oversubscription.size() > std::max<std::size_t>(1, spec_.fan_in.size())) {
      return fail(Code::wrong_usage, "synthetic: more oversubscriptions than network levels",
                  "one for each of host/leaf, leaf/spine, ...");
    }
    return spec_;
  }

  Links usual_links(const ServerModel& model) const {
    // 16 V100 are a DGX-2.
    return model.links == Links::mesh && gpus_.value_or(model.gpus) > 8 ? Links::nvswitch : model.links;
  }

  SyntheticSpec spec_;
  std::optional<int> gpus_, nics_, sockets_, numa_, cores_;
  std::optional<Links> links_;
  std::set<std::string_view> said_;
  std::array<std::optional<int>, 3> fan_in_;
  bool nics_said_by_rate_ = false;
  bool threads_said_ = false;
};

}  // namespace

Result<SyntheticSpec> parse_synthetic(std::string_view text) {
  if (text.size() > 4096) {
    return fail(Code::wrong_usage, "synthetic: the spec is longer than 4096 characters");
  }
  return Parser().parse(text);
}

}  // namespace topolaunch::topo
