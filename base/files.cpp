// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace topolaunch {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> os_error(const std::string& what, const std::string& path, int number) {
  const Code code = number == ENOENT || number == ENOTDIR ? Code::not_found : Code::invalid_input;
  return fail(Error{code, what + ": " + std::strerror(number), {}, path, 0});
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace

std::string RootedFiles::under_root(std::string_view path) const {
  if (root_ == "/" || root_.empty()) return std::string(path);
  std::string out = root_;
  if (!path.starts_with('/')) out += '/';
  out += path;
  return out;
}

Result<std::string> RootedFiles::read(std::string_view path, std::size_t limit) const {
  const std::string real = under_root(path);
  const Descriptor file(::open(real.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return os_error("can't open", real, errno);
  std::string content;
  char buffer[65536];
  while (true) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os_error("can't read", real, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > limit) {
      return fail(Error{Code::invalid_input,
                        "larger than the " + std::to_string(limit) + " bytes that are read",
                        {},
                        real,
                        0});
    }
  }
}

Result<std::vector<std::string>> RootedFiles::list(std::string_view path) const {
  const std::string real = under_root(path);
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator it(real, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return os_error("can't list", real, error.value());
  std::ranges::sort(names);
  return names;
}

Result<std::string> RootedFiles::resolve(std::string_view path) const {
  std::error_code error;
  const std::string real = fs::canonical(under_root(path), error).string();
  if (error) return os_error("can't resolve", under_root(path), error.value());
  if (root_ == "/" || root_.empty()) return real;
  const std::string root = fs::canonical(root_, error).string();
  if (error || !real.starts_with(root)) return os_error("leads out of the root", real, EINVAL);
  return real.substr(root.size());
}

bool RootedFiles::exists(std::string_view path) const {
  std::error_code error;
  return fs::exists(under_root(path), error);
}

Status write_file(const std::string& path, std::string_view content, unsigned mode) {
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return os_error("can't create", path, errno);
  const auto give_up = [&](const char* what) -> Status {
    const int number = errno;
    ::unlink(temporary.c_str());
    return os_error(what, path, number);
  };
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up("can't write");
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) return give_up("can't set the mode of");
  if (::fsync(file.get()) != 0) return give_up("can't write");
  if (::close(file.release()) != 0) return give_up("can't write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up("can't write");
  return {};
}

Status make_folders(const std::string& path, unsigned mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!part.empty() && ::mkdir(part.c_str(), static_cast<mode_t>(mode)) != 0 && errno != EEXIST) {
      // A parent that we may not write, but that is there, reports EACCES or EROFS instead.
      struct stat info {};
      const int number = errno;
      if (::stat(part.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
        return os_error("can't make the folder", part, number);
      }
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace topolaunch
