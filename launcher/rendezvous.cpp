// SPDX-License-Identifier: Apache-2.0
#include "launcher/rendezvous.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "quota/digest.h"

namespace topolaunch::launcher {
namespace {

/// A folder that is ours alone, made if need be; empty if it can't be trusted.
std::string private_folder(const Environment& environment) {
  const std::string runtime = environment.get_or("XDG_RUNTIME_DIR", "");
  const std::string path =
      runtime.starts_with('/') ? runtime + "/topolaunch"
                               : "/tmp/topolaunch-" + std::to_string(::geteuid());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return {};
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
      info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return {};
  }
  return path;
}

void remove_old_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    struct stat info {};
    const std::string path = it->path().string();
    // A launch whose ranks start over more than a day does not exist.
    if (::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        std::time(nullptr) - info.st_mtime > 86400) {
      ::unlink(path.c_str());
    }
  }
}

int read_port(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return 0;
  std::array<char, 16> text{};
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  int port = 0;
  if (n > 0) std::from_chars(text.data(), text.data() + n, port);
  return port > 0 && port < 65536 ? port : 0;
}

}  // namespace

std::string launch_key(const Environment& environment) {
  std::string key;
  // Open MPI 4 and 5 (the server's URI holds its process and port), Slurm, Hydra.
  for (const char* const name :
       {"PMIX_SERVER_URI", "PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3",
        "PMIX_SERVER_URI4", "PMIX_SERVER_URI41", "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID",
        "PMI_PORT", "PMI_ID_FILE", "TORCHELASTIC_RUN_ID"}) {
    if (const auto value = environment.get(name)) key += std::string(name) + "=" + *value + "\n";
  }
  return key;
}

Result<int> agreed_port(const std::string& key, const Environment& environment) {
  const std::string folder = private_folder(environment);
  if (key.empty() || folder.empty()) {
    return fail(Code::unavailable,
                "ranks that were started by another launcher could not agree on MASTER_PORT",
                "set MASTER_ADDR and MASTER_PORT for all of them");
  }
  const std::string path = folder + "/port-" + quota::sha256_hex(key).substr(0, 32);
  if (const int port = read_port(path); port != 0) return port;
  remove_old_files(folder);
  auto port = free_port();
  if (!port) return port;
  // Whoever links first has chosen; the others find his file.
  std::string mine = path + ".XXXXXX";
  const int fd = ::mkostemp(mine.data(), O_CLOEXEC);
  if (fd < 0) return fail(Code::unavailable, "can't write " + mine + ": " + std::strerror(errno));
  const std::string text = std::to_string(*port);
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  const bool linked = written && ::link(mine.c_str(), path.c_str()) == 0;
  ::unlink(mine.c_str());
  if (linked) return port;
  const int agreed = read_port(path);
  if (agreed == 0) return fail(Code::unavailable, "can't read " + path, "set MASTER_PORT");
  return agreed;
}

}  // namespace topolaunch::launcher
