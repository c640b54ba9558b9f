// SPDX-License-Identifier: Apache-2.0
//
// Reading files that decide who may spend what: only if nobody else could have written them, and,
// for secrets, only if nobody else can read them. The last path component is never followed.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace topolaunch::quota {

struct FileGuard {
  unsigned forbidden_mode = 077;  ///< 077: a secret (owner only). 022: public, but only the owner writes
  std::size_t limit = 8192;       ///< bytes
};
inline constexpr FileGuard kSecretFile{077, 8192};
inline constexpr FileGuard kTrustFile{022, std::size_t{1} << 20};

/// Whole content, less one newline at its end. invalid_input if it can't be opened or read; denied
/// if it is a symbolic link, no regular file, owned by somebody else than `caller` or root, too
/// open, or over the limit. Never blocks on a pipe.
Result<std::string> read_guarded(const std::string& path, unsigned caller, FileGuard guard);

/// Creates a file that must not exist yet, with `mode`; invalid_input if it does or can't be made.
Status create_file(const std::string& path, const std::string& content, unsigned mode);

}  // namespace topolaunch::quota
