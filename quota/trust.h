// SPDX-License-Identifier: Apache-2.0
//
// Whose signatures count: the keys of *.jwks.json in the trust folders, one file an issuer:
//   {"issuer": "https://quota.example.org", "keys": [{"kty":"OKP","crv":"Ed25519","x":"...","kid":"..."}]}
// All are read into memory at once; a token's kid only ever looks up this map, never a path or URL.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "quota/key.h"

namespace topolaunch::quota {

class TrustStore {
 public:
  struct Entry {
    PublicKey key;
    std::string issuer;
    std::string file;
  };

  /// Reads every *.jwks.json of `folders`; a folder that isn't there is skipped. denied if a file
  /// could have been written by others than `caller` and root; configuration if it is malformed or
  /// two issuers claim one kid.
  static Result<TrustStore> load(const std::vector<std::string>& folders, unsigned caller);

  Status add(const Json& jwks, const std::string& file);
  const Entry* find(std::string_view kid) const;
  bool empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }
  const std::vector<std::string>& folders() const { return folders_; }
  std::string text() const;  ///< "2 keys in /etc/topolaunch/trust.d", "no keys in ..."

 private:
  std::map<std::string, Entry, std::less<>> keys_;
  std::vector<std::string> folders_;
};

inline constexpr const char* kSiteTrustFolder = "/etc/topolaunch/trust.d";

/// Where trust comes from: the site's folder alone if it has a .jwks.json (then a user can't add an
/// issuer of his own), else $XDG_CONFIG_HOME/topolaunch/trust.d (~/.config/...).
std::vector<std::string> trust_folders(const Environment& environment,
                                       const std::string& site_folder = kSiteTrustFolder);
/// The user's folder; empty if neither XDG_CONFIG_HOME nor HOME is set.
std::string user_trust_folder(const Environment& environment);

/// Full paths of the files in `folder` whose name ends in `ending`, sorted; empty if there is none.
std::vector<std::string> files_ending(const std::string& folder, std::string_view ending);

/// An https URL that can stand as an issuer: no spaces, no control characters, at most 255 bytes.
bool is_issuer(std::string_view text);

}  // namespace topolaunch::quota
