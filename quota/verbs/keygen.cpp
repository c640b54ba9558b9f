// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/own_host.h"
#include "quota/guarded_file.h"
#include "quota/printable.h"
#include "quota/trust.h"
#include "quota/verbs/issuer_key.h"
#include "quota/verbs/verbs.h"

namespace topolaunch::quota {
namespace {

/// "https://quota.example.org/x" -> "quota.example.org": the public file's name.
std::string short_name(const std::string& issuer) {
  std::string out;
  for (const char c : issuer.substr(8, issuer.find('/', 8) - 8)) {
    out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ? c : '_';
  }
  return out.empty() || out.front() == '.' ? "issuer" : out;
}

}  // namespace

Result<IssuerKey> read_issuer_key(const std::string& path) {
  auto text = read_guarded(path, ::geteuid(), kSecretFile);
  if (!text) return fail(std::move(text).error().within("issuer key"));
  auto json = parse_json(*text, path, JsonLimits{4, 64});
  if (!json) {  // the parser's words could quote the key
    return fail(Error{Code::configuration, "issuer key: not JSON", "quota keygen makes one", path, 0});
  }
  auto key = PrivateKey::from_jwk(*json, path);
  if (!key) return fail(std::move(key).error().within("issuer key"));
  const auto issuer = json->find("issuer");
  if (issuer == json->end() || !issuer->is_string() || !is_issuer(issuer->get<std::string>())) {
    return fail(Error{Code::configuration, "issuer key: has no \"issuer\" that is an https URL",
                      "quota keygen writes it", path, 0});
  }
  return IssuerKey{std::move(*key), issuer->get<std::string>()};
}

Result<std::string> keygen(const KeygenOptions& options, const Outside& outside) {
  const std::string issuer = options.issuer.empty() ? "https://" + own_host_name() + "/topolaunch" : options.issuer;
  if (!is_issuer(issuer)) {
    return fail(Code::wrong_usage, fmt::format("'{}' is not an https URL", printable(issuer)), "--issuer https://HOST/...");
  }
  const PrivateKey key = PrivateKey::generate();
  Json secret = key.private_jwk();
  secret["issuer"] = issuer;
  const Json open{{"issuer", issuer}, {"keys", Json::array({key.public_jwk()})}};
  const std::string secret_path = options.folder + "/issuer.key.jwk";
  const std::string name = short_name(issuer) + ".jwks.json";
  std::string open_path = options.folder + "/" + name;
  if (auto made = make_folders(options.folder, 0700); !made) return fail(made.error());
  if (auto made = create_file(secret_path, to_pretty(secret), 0600); !made) return fail(made.error());
  if (auto made = create_file(open_path, to_pretty(open), 0644); !made) {
    ::unlink(secret_path.c_str());  // half a pair is of no use
    return fail(made.error());
  }
  std::string trusted;
  if (options.trust) {
    const std::string folder = user_trust_folder(outside.environment);
    if (folder.empty()) return fail(Code::configuration, "no trust folder: neither XDG_CONFIG_HOME nor HOME is set");
    if (auto made = make_folders(folder, 0700); !made) return fail(made.error());
    trusted = folder + "/" + name;
    if (auto made = create_file(trusted, to_pretty(open), 0644); !made) return fail(made.error());
  }
  if (options.json) {
    return to_pretty(Json{{"schema", "topolaunch.quota-keygen/1"}, {"issuer", issuer}, {"kid", key.kid()},
                          {"private_key", secret_path}, {"public_keys", open_path}, {"trusted", trusted}});
  }
  return fmt::format("issuer       {}\nkey id       {}\nprivate key  {}  (keep it off the compute hosts)\npublic keys  {}\n{}",
                     issuer, key.kid(), secret_path, open_path,
                     trusted.empty() ? fmt::format("to trust it  cp {} {}/\n", open_path, kSiteTrustFolder)
                                     : fmt::format("trusted      {}\n", trusted));
}

}  // namespace topolaunch::quota
