// SPDX-License-Identifier: Apache-2.0
#include "topo/ec2.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "topo/cloud_places.h"
#include "topo/instance_types.h"
#include "topo/json_reading.h"

namespace topolaunch::topo {
namespace {

constexpr const char* kMorePages = "ec2-more-pages";

bool has_instance_id(const Json& list) {
  return list.is_array() && !list.empty() && member(&list.front(), "InstanceId") != nullptr;
}

class Reader {
 public:
  explicit Reader(const GivenText& given) : given_(given), lines_(given.text) {}

  Result<std::vector<Fact>> read(const Json& json) {
    if (json.is_array()) {
      instances(json, "");
    } else if (const Json* reservations = member(&json, "Reservations")) {
      for (const auto& reservation : elements_of(reservations)) {
        instances(elements_of(member(&reservation, "Instances")), "Reservations[].Instances");
      }
    } else {
      instances(elements_of(member(&json, "Instances")), "Instances");
    }
    if (failed_) return fail(std::move(error_));
    for (auto& fact : places_.switches()) facts_.push_back(std::move(fact));
    // One rate for all; where types differ none is right.
    if (rates_.size() == 1 && typed_ == hosts_ && *rates_.begin() > 0) {
      FabricFact whole;
      whole.host_rate = Bandwidth::bytes_per_second(*rates_.begin());
      facts_.push_back({{"ec2", given_.file, 0}, {}, std::move(whole)});
    }
    if (!string_of(member(&json, "NextToken")).empty()) {
      facts_.push_back(
          {{"ec2", given_.file, 0},
           {},
           WarningFact{{kMorePages, Warning::Severity::warning, given_.file, 0,
                        fmt::format("the answer is a page with {} instances; more pages follow",
                                    hosts_)}}});
    }
    return std::move(facts_);
  }

 private:
  void instances(const Json& list, std::string_view where) {
    for (std::size_t i = 0; i < list.size() && !failed_; ++i) {
      const Json& entry = list[i];
      const std::string id = string_of(member(&entry, "InstanceId"));
      if (id.empty()) {
        failed_ = true;
        error_ = Error{Code::invalid_input,
                       fmt::format("{}[{}] has no InstanceId", where, i),
                       {},
                       given_.file,
                       1};
        return;
      }
      instance(entry, id, {"ec2", given_.file, lines_.next(id)});
    }
  }

  void instance(const Json& entry, const std::string& id, const Origin& origin) {
    const std::string name = string_of(member(&entry, "PrivateDnsName"));
    if (!name.empty()) {
      facts_.push_back({origin, id, HostNameFact{name.substr(0, name.find('.'))}});
    }
    // A list of names only translates; it doesn't say which hosts take part.
    if (member(&entry, "NetworkNodes") == nullptr && !name.empty()) return;
    ++hosts_;
    facts_.push_back({origin, id, MentionFact{}});
    auto chain = strings_of(member(&entry, "NetworkNodes"));
    std::reverse(chain.begin(), chain.end());  // the last one is the leaf
    places_.add(origin, id, chain);
    const std::string type = string_of(member(&entry, "InstanceType"));
    add_instance_type(origin, id, type, facts_);
    if (const auto* known = instance_type(type); known != nullptr && known->network().known()) {
      ++typed_;
      rates_.insert(known->network().bytes_per_second());
    }
    const std::string block = string_of(member(&entry, "CapacityBlockId"));
    if (!block.empty()) facts_.push_back({origin, id, NvlinkDomainFact{block, 0}});
  }

  const GivenText& given_;
  JsonLines lines_;
  std::vector<Fact> facts_;
  CloudPlaces places_;
  std::set<double> rates_;
  int hosts_ = 0, typed_ = 0;
  bool failed_ = false;
  Error error_{};
};

bool more_pages(const Fact& fact) {
  const auto* said = std::get_if<WarningFact>(&fact.what);
  return said != nullptr && said->warning.code == kMorePages;
}

}  // namespace

bool is_ec2(const Json& json) {
  if (has_instance_id(json) || member(&json, "Reservations") != nullptr) return true;
  const Json* list = member(&json, "Instances");
  return list != nullptr && list->is_array() && (list->empty() || list->front().is_object());
}

Result<std::vector<Fact>> facts_from_ec2(const Json& json, const GivenText& given) {
  return Reader(given).read(json);
}

void join_ec2_pages(std::vector<std::vector<Fact>*> sources) {
  std::erase_if(sources, [](const std::vector<Fact>* facts) {
    return std::none_of(facts->begin(), facts->end(), [](const Fact& fact) {
      return fact.origin.source == "ec2" && !std::holds_alternative<HostNameFact>(fact.what);
    });
  });
  const bool last_is_there = std::any_of(sources.begin(), sources.end(), [](const auto* facts) {
    return std::none_of(facts->begin(), facts->end(), more_pages);
  });
  if (!last_is_there) return;
  for (auto* facts : sources) std::erase_if(*facts, more_pages);
}

}  // namespace topolaunch::topo
