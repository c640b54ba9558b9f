// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_cache.h"

#include <nlohmann/json.hpp>

#include "base/capabilities.h"
#include "launcher/hosts/host_entry.h"
#include "launcher/run_directory.h"

namespace topolaunch::launcher {

std::optional<HostFacts> remembered_host(const std::string& name, const Outside& outside) {
  const auto file = host_entry(name, outside.environment);
  if (!file) return std::nullopt;
  const auto text = outside.files.read(*file, std::size_t{16} << 20);
  if (!text) return std::nullopt;
  const auto json = parse_json(*text, *file);
  if (!json) return std::nullopt;
  auto facts = host_facts_from_json(*json, *file);
  if (!facts || facts->version != build_version()) return std::nullopt;
  return std::move(*facts);
}

void remember_host(const std::string& name, const HostFacts& facts, const Outside& outside) {
  const auto file = host_entry(name, outside.environment);
  if (!file || !make_folders(file->substr(0, file->rfind('/')), 0700)) return;
  const Status ignored = write_file(*file, to_line(to_json(facts)) + "\n", 0600, false);
  static_cast<void>(ignored);
}

}  // namespace topolaunch::launcher
