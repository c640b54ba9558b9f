// SPDX-License-Identifier: Apache-2.0
//
// An issuer's desk for tests: a private folder, keys, a clock to turn, and tokens made to order,
// wrong ones included.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/json.h"
#include "base/outside.h"
#include "quota/base64url.h"
#include "quota/key.h"
#include "quota/token.h"
#include "quota/uuid.h"

namespace topolaunch::quota {

class FakeClock final : public Clock {
 public:
  std::int64_t now = 1'798'000'000;
  double boot = 1000;
  std::int64_t unix_seconds() const override { return now; }
  double unix_time() const override { return static_cast<double>(now); }
  double boot_seconds() const override { return boot; }
};

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "topolaunch-quota.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content, unsigned mode = 0600) const {
    const std::string file = path_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << content;
    ::chmod(file.c_str(), static_cast<mode_t>(mode));
    return file;
  }
  static std::string read(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

inline constexpr const char* kIssuer = "https://quota.example.org";
inline constexpr const char* kAudience = "urn:topolaunch:ledger:6f0c1c0e-8a53-4a52-9a3e-3a0a6a4f7d11";

class Desk {
 public:
  Desk() : key(PrivateKey::generate()) { EXPECT_TRUE(trust.add(jwks(), "issuer.jwks.json")); }

  Json jwks() const { return Json{{"issuer", kIssuer}, {"keys", Json::array({key.public_jwk()})}}; }
  Json header() const { return Json{{"alg", "Ed25519"}, {"typ", kTokenType}, {"kid", key.kid()}}; }
  Claims claims() const {
    Claims c;
    c.grant = Grant{jti, "alice", "vision", "mri-seg", kIssuer, 8, 100'000, 70, clock.now - 60, clock.now + 30 * 86400,
                    0, 0, 0, {"*"}};
    c.audience = kAudience;
    c.issued_at = clock.now;
    c.version = "1.0";
    return c;
  }
  Json payload() const { return to_json(claims()); }
  /// Signed as they are, however wrong.
  std::string sign(const std::string& header_text, const std::string& payload_text) const {
    const std::string bytes = to_base64url(header_text) + "." + to_base64url(payload_text);
    return bytes + "." + to_base64url(key.sign(bytes));
  }
  std::string token(const std::function<void(Json&)>& change = {}) const {
    Json p = payload();
    if (change) change(p);
    return sign(to_line(header()), to_line(p));
  }
  std::string token_with_header(const std::function<void(Json&)>& change) const {
    Json h = header();
    change(h);
    return sign(to_line(h), to_line(payload()));
  }
  Expectation expect() const {
    Expectation e;
    e.now = clock.now;
    e.audience = kAudience;
    e.uid = 1000;
    return e;
  }
  Verified<Claims> verify(const std::string& text) const { return verify_token(text, trust, expect()); }

  FakeClock clock;
  PrivateKey key;
  TrustStore trust;
  std::string jti = make_uuid_v7(1'798'000'000);
};

/// The outside world for verbs and admission: real files, a clock to turn, a home of one's own.
struct Office {
  FakeClock clock;
  TempFolder folder;
  RootedFiles files;
  SystemCommands commands;
  Environment environment{{"HOME", folder.path()}, {"XDG_CONFIG_HOME", folder / "config"}, {"XDG_STATE_HOME", folder / "state"}};
  Outside outside{files, commands, clock, environment};
};

}  // namespace topolaunch::quota
