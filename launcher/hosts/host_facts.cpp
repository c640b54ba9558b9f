// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_facts.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/capabilities.h"
#include "base/own_host.h"
#include "launcher/hosts/own_networks.h"
#include "launcher/json_fields.h"
#include "launcher/machine.h"
#include "launcher/supervise/host_id.h"
#include "topo/topology_json.h"

namespace topolaunch::launcher {
namespace {

constexpr std::string_view kMark = "topolaunch-host-facts ";

}  // namespace

Result<HostFacts> own_facts(const Outside& outside) {
  auto topology = look_at(TopologyOptions{}, outside);
  if (!topology) return fail(std::move(topology).error());
  HostFacts facts;
  facts.topology = std::move(*topology);
  facts.host_name = own_host_name();
  facts.id = own_host_id(outside.files);
  facts.networks = own_networks();
  facts.default_route = has_default_route(outside.files);
  facts.version = build_version();
  return facts;
}

Json to_json(const HostFacts& facts) {
  Json json;
  json["schema"] = "topolaunch.host/1";
  json["version"] = facts.version;
  json["host_name"] = facts.host_name;
  json["id"] = facts.id;
  json["networks"] = facts.networks;
  json["default_route"] = facts.default_route;
  json["topology"] = topo::to_json(facts.topology);
  return json;
}

Result<HostFacts> host_facts_from_json(const Json& json, const std::string& file) {
  JsonFields in(json, file, "");
  HostFacts facts;
  const std::string schema = in.text("schema");
  if (!in.error() && schema != "topolaunch.host/1") in.wrong("schema", "is not topolaunch.host/1");
  facts.version = in.text("version");
  facts.host_name = in.text("host_name");
  facts.id = in.text("id");
  facts.networks = in.texts_or_empty("networks");
  facts.default_route = in.flag_or("default_route", false);
  const Json* const topology = in.object("topology");
  if (in.error()) return fail(*in.error());
  auto read = topo::topology_from_json(*topology, file);
  if (!read) return fail(std::move(read).error());
  facts.topology = std::move(*read);
  if (facts.topology.hosts.size() != 1) {
    return fail(Error{Code::invalid_input, "describes no single host", {}, file, 0});
  }
  return facts;
}

std::string framed(const HostFacts& facts) {
  const std::string body = to_line(to_json(facts));
  return fmt::format("{}{}\n{}\n", kMark, body.size(), body);
}

Result<HostFacts> facts_from_frame(std::string_view text, const std::string& host) {
  const auto mark = text.find(kMark);
  if (mark == std::string_view::npos) {
    return fail(Code::invalid_input, "its answer is not topolaunch's");
  }
  text.remove_prefix(mark + kMark.size());
  std::size_t length = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const auto begin = static_cast<std::size_t>(stop - text.data()) + 1;
  if (error != std::errc{} || begin > text.size() || text.size() - begin < length) {
    return fail(Code::invalid_input, "its answer was cut off");
  }
  auto json = parse_json(text.substr(begin, length), "answer of " + host);
  if (!json) return fail(std::move(json).error());
  return host_facts_from_json(*json, "answer of " + host);
}

int facts_main(const Outside& outside) {
  auto facts = own_facts(outside);
  if (!facts) {
    std::fprintf(stderr, "topolaunch: %s\n", facts.error().text().c_str());
    return exit_status(facts.error().code);
  }
  const std::string text = framed(*facts);
  const bool sent = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return sent && std::fflush(stdout) == 0 ? 0 : exit_status(Code::unavailable);
}

}  // namespace topolaunch::launcher
