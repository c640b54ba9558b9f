// SPDX-License-Identifier: Apache-2.0
#include "launcher/settings.h"

#include <algorithm>
#include <sstream>
#include <toml++/toml.h>
#include <utility>

#include "base/nearest_name.h"

namespace topolaunch::launcher {
namespace {

constexpr const char* kSiteFile = "/etc/topolaunch/config.toml";

struct ConfigFile {
  std::vector<Setting> settings;
  std::vector<std::string> locks;
};

const SettingName* known_setting(std::string_view key) {
  for (const SettingName& name : setting_names()) {
    if (name.key == key) return &name;
  }
  return nullptr;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys{"lock"};
  for (const SettingName& name : setting_names()) keys.emplace_back(name.key);
  return keys;
}

tl::unexpected<Error> wrong(const std::string& file, const toml::source_position& at,
                            std::string message, std::string next) {
  return fail(Error{Code::configuration, std::move(message), std::move(next), file,
                    static_cast<int>(at.line)});
}

Result<std::string> scalar_text(const toml::node& node, const std::string& file,
                                const std::string& key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto flag = node.value_exact<bool>()) return std::string(*flag ? "true" : "false");
  return wrong(file, node.source().begin, "'" + key + "' can't have this kind of value",
               "write a string, a whole number, true or false");
}

Result<std::vector<std::string>> list_of(const toml::node& node, const std::string& file,
                                         const std::string& key) {
  std::vector<std::string> values;
  const toml::array* const list = node.as_array();
  if (list == nullptr) {
    auto one = scalar_text(node, file, key);
    if (!one) return fail(std::move(one).error());
    return std::vector<std::string>{*one};
  }
  for (const toml::node& element : *list) {
    auto one = scalar_text(element, file, key);
    if (!one) return fail(std::move(one).error());
    values.push_back(*one);
  }
  return values;
}

Result<std::vector<std::string>> locks_of(const toml::node& node, const std::string& file) {
  const toml::node* list = &node;
  if (const toml::table* const table = node.as_table()) {
    list = table->get("keys");
    if (list == nullptr) {
      return wrong(file, node.source().begin, "[lock] has no keys", "write: lock = [\"quota\"]");
    }
  }
  auto locks = list_of(*list, file, "lock");
  if (!locks) return locks;
  for (const std::string& key : *locks) {
    if (known_setting(key) == nullptr) {
      const std::string near = nearest_name(key, known_keys());
      return wrong(file, list->source().begin, "there is no setting '" + key + "' to lock",
                   near.empty() ? "topolaunch doctor --config lists them"
                                : "did you mean '" + near + "'?");
    }
  }
  return locks;
}

Result<ConfigFile> parse_config(const std::string& text, const std::string& file, bool site) {
  ConfigFile config;
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return wrong(file, error.source().begin, "not valid TOML: " + std::string(error.description()),
                 "correct it, or move the file away");
  }
  for (auto&& [name, node] : table) {
    const std::string key(name.str());
    if (key == "lock") {
      if (!site) {
        return wrong(file, node.source().begin, "only the site's file may lock keys",
                     std::string("move it to ") + kSiteFile);
      }
      auto locks = locks_of(node, file);
      if (!locks) return fail(std::move(locks).error());
      config.locks = std::move(*locks);
      continue;
    }
    const SettingName* const known = known_setting(key);
    if (known == nullptr) {
      const std::string near = nearest_name(key, known_keys());
      return wrong(file, node.source().begin, "unknown setting '" + key + "'",
                   near.empty() ? "topolaunch doctor --config lists the known ones"
                                : "did you mean '" + near + "'?");
    }
    auto values = list_of(node, file, key);
    if (!values) return fail(std::move(values).error());
    if (known->kind != SettingName::Kind::list && values->size() != 1) {
      return wrong(file, node.source().begin, "'" + key + "' takes one value", "write one value");
    }
    const std::string origin = file + ":" + std::to_string(node.source().begin.line);
    if (known->kind == SettingName::Kind::flag) {
      if (auto flag = parse_flag(values->front(), "'" + key + "'"); !flag) {
        return wrong(file, node.source().begin, flag.error().message, flag.error().next);
      }
    }
    config.settings.push_back({key, std::move(*values), origin, false});
  }
  return config;
}

Result<ConfigFile> read_config(const Outside& outside, const std::string& file, bool site,
                               Settings& settings) {
  // Limit: a configuration file of more than 1 MiB is no configuration file.
  auto text = outside.files.read(file, std::size_t{1} << 20);
  if (!text && text.error().code == Code::not_found) return ConfigFile{};
  if (!text) {
    Error error = std::move(text).error();
    error.code = Code::configuration;
    error.next = "make it readable, or move it away";
    return fail(std::move(error));
  }
  settings.files.push_back(file);
  return parse_config(*text, file, site);
}

std::string user_file(const Environment& environment) {
  const std::string xdg = environment.get_or("XDG_CONFIG_HOME", "");
  if (xdg.starts_with('/')) return xdg + "/topolaunch/config.toml";
  const std::string home = environment.get_or("HOME", "");
  return home.empty() ? std::string() : home + "/.config/topolaunch/config.toml";
}

}  // namespace

const std::vector<SettingName>& setting_names() {
  using Kind = SettingName::Kind;
  static const std::vector<SettingName> names{
      {"engine", "TOPOLAUNCH_ENGINE", Kind::text},
      {"engine_args", "TOPOLAUNCH_ENGINE_ARGS", Kind::text},
      {"topology", "TOPOLAUNCH_TOPOLOGY", Kind::list},
      {"link_rate", "TOPOLAUNCH_LINK_RATE", Kind::text},
      {"oversubscribe", "TOPOLAUNCH_OVERSUBSCRIBE", Kind::flag},
      {"objective", "TOPOLAUNCH_OBJECTIVE", Kind::text},
      {"effort", "TOPOLAUNCH_EFFORT", Kind::text},
      {"quota", "TOPOLAUNCH_QUOTA", Kind::text},
      {"quota_token", "TOPOLAUNCH_QUOTA_TOKEN_FILE", Kind::text},
      {"ledger", "TOPOLAUNCH_LEDGER", Kind::text},
      {"quota_count", "TOPOLAUNCH_QUOTA_COUNT", Kind::text},
      {"quota_require_uid", "TOPOLAUNCH_QUOTA_REQUIRE_UID", Kind::flag},
      {"quota_max_token_days", "TOPOLAUNCH_QUOTA_MAX_TOKEN_DAYS", Kind::text},
      {"quota_revocation_max_age", "TOPOLAUNCH_QUOTA_REVOCATION_MAX_AGE", Kind::text},
      {"quota_stale_revocation", "TOPOLAUNCH_QUOTA_STALE_REVOCATION", Kind::text},
      {"image_digest", "TOPOLAUNCH_IMAGE_DIGEST", Kind::text},
      {"validate", "TOPOLAUNCH_VALIDATE", Kind::text},
      {"strict", "TOPOLAUNCH_STRICT", Kind::flag},
      {"time_limit", "TOPOLAUNCH_TIME_LIMIT", Kind::text},
      {"grace", "TOPOLAUNCH_GRACE", Kind::text},
      {"tag", "TOPOLAUNCH_TAG", Kind::flag},
      {"log_dir", "TOPOLAUNCH_LOG_DIR", Kind::text},
      {"summary", "TOPOLAUNCH_SUMMARY", Kind::text},
      {"quiet", "TOPOLAUNCH_QUIET", Kind::flag},
      {"verbose", "TOPOLAUNCH_VERBOSE", Kind::flag},
  };
  return names;
}

const Setting* Settings::find(std::string_view key) const {
  const auto it = std::ranges::find(effective, key, &Setting::key);
  return it == effective.end() ? nullptr : &*it;
}

Result<bool> parse_flag(std::string_view text, const std::string& what) {
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "false", "no", "off", ""}) {
    if (text == no) return false;
  }
  return fail(Code::configuration, what + " is a switch and can't be '" + std::string(text) + "'",
              "write true or false");
}

Result<Settings> load_settings(const Outside& outside) {
  Settings settings;
  std::string site = kSiteFile;
  const auto other = outside.environment.get("TOPOLAUNCH_SITE_CONFIG");
  if (other && !other->empty() && !outside.files.exists(site)) {
    site = *other;
    if (!outside.files.exists(site)) {
      return fail(Error{Code::configuration, "TOPOLAUNCH_SITE_CONFIG names a file that isn't there",
                        "correct or unset it", site, 0});
    }
  }
  auto site_config = read_config(outside, site, true, settings);
  if (!site_config) return fail(std::move(site_config).error());
  for (const std::string& key : site_config->locks) {
    const auto it = std::ranges::find(site_config->settings, key, &Setting::key);
    if (it == site_config->settings.end()) {
      return fail(Error{Code::configuration, "'" + key + "' is locked and has no value",
                        "give it one in this file, or take it out of lock", site, 0});
    }
    it->locked = true;
  }
  ConfigFile user_config;
  if (const std::string file = user_file(outside.environment); !file.empty()) {
    auto read = read_config(outside, file, false, settings);
    if (!read) return fail(std::move(read).error());
    user_config = std::move(*read);
  }
  for (const SettingName& name : setting_names()) {
    std::vector<Setting> candidates;  // strongest first
    const auto from = [&](const std::vector<Setting>& config) {
      const auto it = std::ranges::find(config, name.key, &Setting::key);
      if (it != config.end()) candidates.push_back(*it);
    };
    if (const auto value = outside.environment.get(name.variable); value && !value->empty()) {
      if (name.kind == SettingName::Kind::flag) {
        if (auto flag = parse_flag(*value, std::string(name.variable)); !flag) {
          return fail(std::move(flag).error());
        }
      }
      candidates.push_back(
          {std::string(name.key), {*value}, std::string(name.variable), false});
    }
    from(user_config.settings);
    from(site_config->settings);
    if (candidates.empty()) continue;
    auto winner = candidates.begin();
    if (candidates.back().locked) {
      winner = candidates.end() - 1;
      const Setting& first = candidates.front();
      if (first.origin == name.variable && first.values != winner->values) {
        return fail(Code::configuration,
                    std::string(name.variable) + " contradicts '" + std::string(name.key) +
                        "', which the site has locked (" + winner->origin + ")",
                    "unset it: the site's value stays");
      }
    }
    for (auto it = candidates.begin(); it != candidates.end(); ++it) {
      (it == winner ? settings.effective : settings.overridden).push_back(*it);
    }
  }
  return settings;
}

}  // namespace topolaunch::launcher
