// SPDX-License-Identifier: Apache-2.0
#include "launcher/shim/order.h"

#include <climits>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"

namespace topolaunch::launcher {

Order order_for(const Plan& plan, const RankPlan& rank) {
  Order order;
  order.place = rank;
  order.command = plan.command;
  order.executable = plan.executable;
  order.working_directory = plan.working_directory;
  order.unset = plan.unset;
  order.strict = plan.strict;
  return order;
}

Environment rank_variables(const Order& order, Environment own) {
  for (const std::string& name : order.unset) own.unset(name);
  for (const char* const name : {kControlAddress, kControlSecret, kControlRank}) own.unset(name);
  for (const auto& [name, value] : order.place.environment) own.set(name, value);
  return own;
}

Json to_json(const Order& order) {
  Json json = Json::object();
  json["place"] = to_json(order.place);
  json["command"] = words_to_json(order.command);
  json["executable"] = word_to_json(order.executable);
  json["working_directory"] = word_to_json(order.working_directory);
  json["unset"] = words_to_json(order.unset);
  json["ignored_signals"] = order.ignored_signals;
  json["process_group"] = order.process_group;
  json["strict"] = order.strict;
  json["has_stdin"] = order.has_stdin;
  json["has_output"] = order.has_output;
  return json;
}

Result<Order> order_from_json(const Json& json) {
  JsonFields in(json, "order", "");
  Order order;
  order.command = in.texts("command");
  if (order.command.empty()) in.wrong("command", "is empty");
  order.executable = in.text("executable");
  order.working_directory = in.text_or("working_directory", {});
  order.unset = in.texts_or_empty("unset");
  order.ignored_signals = in.integers_or_empty("ignored_signals", 1, 64);
  order.process_group = in.integer_or("process_group", 0, INT_MAX - 1, 0);
  order.strict = in.flag_or("strict", false);
  order.has_stdin = in.flag_or("has_stdin", false);
  order.has_output = in.flag_or("has_output", false);
  if (const Json* const place = in.object("place")) {
    auto rank = rank_plan_from_json(*place, "order", "place");
    if (!rank) return tl::unexpected(std::move(rank).error());
    order.place = std::move(*rank);
  }
  if (in.error()) return fail(*in.error());
  return order;
}

}  // namespace topolaunch::launcher
