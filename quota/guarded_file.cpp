// SPDX-License-Identifier: Apache-2.0
#include "quota/guarded_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace topolaunch::quota {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> refuse(Code code, const std::string& path, std::string why, std::string next = {}) {
  return fail(Error{code, std::move(why), std::move(next), path, 0});
}

}  // namespace

Result<std::string> read_guarded(const std::string& path, unsigned caller, FileGuard guard) {
  if (path.find('\0') != std::string::npos) {
    return fail(Code::invalid_input, "file name holds a NUL byte");
  }
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) {
    if (errno == ELOOP) {
      return refuse(Code::denied, path, "is a symbolic link, which is not followed here",
                    "give the path of the file itself");
    }
    return refuse(Code::invalid_input, path, fmt::format("can't open: {}", std::strerror(errno)));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return refuse(Code::invalid_input, path, fmt::format("can't look at it: {}", std::strerror(errno)));
  }
  if (!S_ISREG(info.st_mode)) return refuse(Code::denied, path, "is not a regular file");
  if (info.st_uid != 0 && info.st_uid != caller) {
    return refuse(Code::denied, path,
                  fmt::format("belongs to uid {}, neither to you (uid {}) nor to root", info.st_uid, caller));
  }
  if ((info.st_mode & guard.forbidden_mode) != 0) {
    const bool secret = guard.forbidden_mode == 077;
    return refuse(Code::denied, path,
                  fmt::format("mode {:04o} lets others {} it", info.st_mode & 07777, secret ? "read" : "write"),
                  fmt::format("chmod {} {}", secret ? "600" : "go-w", path));
  }
  const auto too_large = [&] {
    return refuse(Code::denied, path, fmt::format("is larger than the {} bytes allowed", guard.limit));
  };
  if (static_cast<std::size_t>(info.st_size) > guard.limit) return too_large();
  std::string content;
  char buffer[8192];
  while (true) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return refuse(Code::invalid_input, path, fmt::format("can't read: {}", std::strerror(errno)));
    if (n == 0) break;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > guard.limit) return too_large();
  }
  if (content.ends_with('\n')) content.pop_back();
  return content;
}

Status create_file(const std::string& path, const std::string& content, unsigned mode) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        static_cast<mode_t>(mode));
  if (fd < 0) {
    const int number = errno;
    return refuse(Code::invalid_input, path, fmt::format("can't create: {}", std::strerror(number)),
                  number == EEXIST ? "it is not overwritten; name another file or remove it" : "");
  }
  const Descriptor file(fd);
  const auto give_up = [&]() -> Status {
    const int number = errno;
    ::unlink(path.c_str());
    return refuse(Code::invalid_input, path, fmt::format("can't write: {}", std::strerror(number)));
  };
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up();
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fchmod(fd, static_cast<mode_t>(mode)) != 0 || ::fsync(fd) != 0) return give_up();
  return {};
}

}  // namespace topolaunch::quota
