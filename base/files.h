// SPDX-License-Identifier: Apache-2.0
//
// Port: the file system as discovery reads it. RootedFiles reads below a folder that takes the
// place of "/", so a captured /sys and /proc replays a machine; tests/support has an in-memory one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace topolaunch {

class Files {
 public:
  virtual ~Files() = default;
  /// Whole content. not_found if absent, invalid_input if it can't be read or is over `limit`.
  virtual Result<std::string> read(std::string_view path,
                                   std::size_t limit = std::size_t{64} << 20) const = 0;
  /// Names in a folder, sorted; not_found if there is no such folder.
  virtual Result<std::vector<std::string>> list(std::string_view path) const = 0;
  /// What a symbolic link points to, as an absolute path inside the root, all links resolved;
  /// invalid_input if that is outside the root.
  virtual Result<std::string> resolve(std::string_view path) const = 0;
  virtual bool exists(std::string_view path) const = 0;
};

class RootedFiles final : public Files {
 public:
  explicit RootedFiles(std::string root = "/") : root_(std::move(root)) {}
  Result<std::string> read(std::string_view path, std::size_t limit) const override;
  Result<std::vector<std::string>> list(std::string_view path) const override;
  Result<std::string> resolve(std::string_view path) const override;
  bool exists(std::string_view path) const override;
  const std::string& root() const { return root_; }

 private:
  std::string under_root(std::string_view path) const;
  std::string root_;
};

// Writing reports unavailable, with the path, for whatever the system refuses.

/// Writes `content` so that a reader sees the old file or the new one, never a part: a temporary
/// file beside it, fsync, rename. `mode` as for open(2). A symbolic link is followed; what is there
/// and no regular file (/dev/null, /dev/stdout, a FIFO) is written to, never replaced.
/// Without `sync` there is no fsync: whole for every reader, but a power failure may lose it.
Status write_file(const std::string& path, std::string_view content, unsigned mode = 0644,
                  bool sync = true);
/// Makes a folder and those above it, with `mode`; fails if something there is no folder.
Status make_folders(const std::string& path, unsigned mode = 0755);

}  // namespace topolaunch
