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

tl::unexpected<Error> write_error(const std::string& what, const std::string& path, int number) {
  return fail(Error{Code::unavailable, what + ": " + std::strerror(number), {}, path, 0});
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// For what rename() must not replace: devices, FIFOs.
Status write_into(const std::string& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return write_error("can't open", path, errno);
  if (!write_all(file.get(), content)) return write_error("can't write", path, errno);
  return {};
}

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
  const bool inside = real.starts_with(root) &&
                      (real.size() == root.size() || root == "/" || real[root.size()] == '/');
  if (error || !inside) {
    return fail(Error{Code::invalid_input, "leads out of " + root, {}, under_root(path), 0});
  }
  if (root == "/") return real;
  return real.size() == root.size() ? "/" : real.substr(root.size());
}

bool RootedFiles::exists(std::string_view path) const {
  std::error_code error;
  return fs::exists(under_root(path), error);
}

Status write_file(const std::string& given_path, std::string_view content, unsigned mode,
                  bool sync) {
  std::error_code error;
  const auto kind = fs::status(given_path, error).type();
  const bool there = kind != fs::file_type::not_found && kind != fs::file_type::none;
  if (there && kind == fs::file_type::directory)
    return write_error("can't write", given_path, EISDIR);
  if (there && kind != fs::file_type::regular) return write_into(given_path, content);
  const std::string path = there ? fs::canonical(given_path, error).string() : given_path;
  if (there && error) return write_error("can't write", given_path, error.value());
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return write_error("can't create", path, errno);
  const auto give_up = [&](const char* what) -> Status {
    const int number = errno;
    ::unlink(temporary.c_str());
    return write_error(what, path, number);
  };
  if (!write_all(file.get(), content)) return give_up("can't write");
  if (::fchmod(file.get(), static_cast<mode_t>(mode)) != 0) return give_up("can't set the mode of");
  if (sync && ::fsync(file.get()) != 0) return give_up("can't write");
  if (::close(file.release()) != 0) return give_up("can't write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up("can't write");
  return {};
}

Status make_folders(const std::string& path, unsigned mode) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!part.empty() && ::mkdir(part.c_str(), static_cast<mode_t>(mode)) != 0) {
      // A folder that is there reports EEXIST, or EACCES or EROFS where we may not write.
      struct stat info {};
      const int number = errno;
      if (::stat(part.c_str(), &info) != 0)
        return write_error("can't make the folder", part, number);
      if (!S_ISDIR(info.st_mode)) return write_error("can't make the folder", part, ENOTDIR);
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace topolaunch
