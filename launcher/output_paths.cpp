// SPDX-License-Identifier: Apache-2.0
#include "launcher/output_paths.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace topolaunch::launcher {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refuse(const char* option, const std::string& path, const std::string& why) {
  return fail(Error{Code::configuration, std::string(option) + " can't be written: " + why,
                    std::string("choose another ") + option, path, 0});
}

/// Why no file can be made in `folder`; empty = one can.
std::string unwritable(const fs::path& folder) {
  std::string name = (folder / ".topolaunch-XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  ::close(file);
  ::unlink(name.c_str());
  return {};
}

Status check_summary(const std::string& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) return refuse("--summary", path, std::strerror(EISDIR));
  if (fs::exists(there) && !fs::is_regular_file(there)) {  // a device or a FIFO is written into
    return ::access(path.c_str(), W_OK) == 0 ? Status{}
                                             : refuse("--summary", path, std::strerror(errno));
  }
  // A file is replaced by a new one beside it.
  const fs::path real = fs::exists(there) ? fs::canonical(path, error) : fs::path(path);
  const fs::path folder = real.has_parent_path() ? real.parent_path() : fs::path(".");
  if (std::string why = unwritable(folder); !why.empty()) return refuse("--summary", path, why);
  return {};
}

Status check_log_directory(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  while (!fs::exists(fs::status(folder, error)) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  if (!fs::is_directory(folder, error)) {
    return refuse("--log-dir", path, folder.string() + ": " + std::strerror(ENOTDIR));
  }
  if (std::string why = unwritable(folder); !why.empty()) {
    return refuse("--log-dir", path, folder.string() + ": " + why);
  }
  return {};
}

}  // namespace

Status check_output_paths(const RunOptions& options) {
  if (!options.summary.empty()) {
    if (Status ok = check_summary(options.summary); !ok) return ok;
  }
  return options.log_directory.empty() ? Status{} : check_log_directory(options.log_directory);
}

}  // namespace topolaunch::launcher
