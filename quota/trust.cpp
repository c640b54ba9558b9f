// SPDX-License-Identifier: Apache-2.0
#include "quota/trust.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/counted.h"
#include "quota/guarded_file.h"
#include "quota/printable.h"

namespace topolaunch::quota {

std::vector<std::string> files_ending(const std::string& folder, std::string_view ending) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (it->path().filename().string().ends_with(ending)) paths.push_back(it->path().string());
  }
  std::ranges::sort(paths);
  return paths;
}

bool is_issuer(std::string_view text) {
  return text.starts_with("https://") && text.size() > 8 && text.size() <= 255 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::string user_trust_folder(const Environment& environment) {
  const std::string config = environment.get_or("XDG_CONFIG_HOME", "");
  if (!config.empty()) return config + "/topolaunch/trust.d";
  const std::string home = environment.get_or("HOME", "");
  return home.empty() ? "" : home + "/.config/topolaunch/trust.d";
}

std::vector<std::string> trust_folders(const Environment& environment, const std::string& site_folder) {
  if (!files_ending(site_folder, ".jwks.json").empty()) return {site_folder};
  std::vector<std::string> folders;
  if (std::string user = user_trust_folder(environment); !user.empty()) folders.push_back(std::move(user));
  folders.push_back(site_folder);
  return folders;
}

Result<TrustStore> TrustStore::load(const std::vector<std::string>& folders, unsigned caller) {
  TrustStore store;
  store.folders_ = folders;
  for (const std::string& folder : folders) {
    for (const std::string& file : files_ending(folder, ".jwks.json")) {
      auto text = read_guarded(file, caller, kTrustFile);
      if (!text) return fail(std::move(text).error().within("quota trust"));
      auto json = parse_json(*text, file, JsonLimits{8, 4096});
      if (!json) {
        json.error().code = Code::configuration;
        return fail(std::move(json).error().within("quota trust"));
      }
      if (auto added = store.add(*json, file); !added) return fail(std::move(added).error().within("quota trust"));
    }
  }
  return store;
}

Status TrustStore::add(const Json& jwks, const std::string& file) {
  const auto bad = [&](std::string why) -> Status {
    return fail(Error{Code::configuration, std::move(why),
                      R"(it should read {"issuer":"https://...","keys":[...]})", file, 0});
  };
  if (!jwks.is_object() || !jwks.contains("issuer") || !jwks["issuer"].is_string() ||
      !is_issuer(jwks["issuer"].get<std::string>())) {
    return bad("has no \"issuer\" that is an https URL");
  }
  if (!jwks.contains("keys") || !jwks["keys"].is_array()) return bad("has no \"keys\"");
  const std::string issuer = jwks["issuer"].get<std::string>();
  for (const Json& jwk : jwks["keys"]) {
    auto key = PublicKey::from_jwk(jwk, file);
    if (!key) return fail(std::move(key).error());
    const std::string kid = key->kid();
    const auto it = keys_.find(kid);
    if (it != keys_.end()) {
      if (it->second.file == file || it->second.issuer != issuer) {
        return bad(fmt::format("key id '{}' is also in {}", printable(kid), it->second.file));
      }
      continue;  // the same issuer in two folders: the first one counts
    }
    keys_.emplace(kid, Entry{std::move(*key), issuer, file});
  }
  return {};
}

const TrustStore::Entry* TrustStore::find(std::string_view kid) const {
  const auto it = keys_.find(kid);
  return it == keys_.end() ? nullptr : &it->second;
}

std::string TrustStore::text() const {
  const std::string where = folders_.empty() ? "memory" : fmt::format("{}", fmt::join(folders_, ", "));
  if (keys_.empty()) return "no keys in " + where;
  return fmt::format("{} in {}", counted(keys_.size(), "key"), where);
}

}  // namespace topolaunch::quota
