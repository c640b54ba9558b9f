// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervise/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace topolaunch::launcher {
namespace {

/// The kernel takes at most 253 descriptors in a message (SCM_MAX_FD); no message of ours has more
/// than a handful.
constexpr std::size_t kMaxDescriptors = 16;

std::string length_word(std::size_t size) {
  const auto n = static_cast<std::uint32_t>(size);
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((n >> shift) & 0xff);
  return out;
}

std::size_t length_at(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    n |= static_cast<std::size_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return n;
}

/// A message with bytes: NUL, length of the JSON text, that text, the bytes.
Result<Json> with_bytes(std::string_view frame) {
  if (frame.size() < 5) return fail(Code::invalid_input, "a message is cut short");
  const std::size_t size = length_at(frame.substr(1));
  if (size > frame.size() - 5) return fail(Code::invalid_input, "a message is cut short");
  auto message = parse_json(frame.substr(5, size), "message");
  if (!message) return message;
  if (!message->is_object()) return fail(Code::invalid_input, "a message is no object");
  const std::string_view bytes = frame.substr(5 + size);
  (*message)["bytes"] = Json::binary({bytes.begin(), bytes.end()});
  return message;
}

}  // namespace

void Channel::post_bytes(const Json& message, std::string_view bytes) {
  const std::string text = to_line(message);
  Outgoing out;
  out.bytes.reserve(9 + text.size() + bytes.size());
  out.bytes += length_word(5 + text.size() + bytes.size());
  out.bytes += '\0';
  out.bytes += length_word(text.size());
  out.bytes += text;
  out.bytes += bytes;
  outbox_.push_back(std::move(out));
}

void Channel::post(const Json& message, std::vector<Descriptor> descriptors) {
  const std::string text = to_line(message);
  Outgoing out;
  out.bytes = length_word(text.size()) + text;
  out.descriptors = std::move(descriptors);
  outbox_.push_back(std::move(out));
}

bool Channel::flush() {
  while (!outbox_.empty()) {
    Outgoing& out = outbox_.front();
    iovec part{out.bytes.data() + out.sent, out.bytes.size() - out.sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
    if (!out.descriptors.empty()) {
      const std::size_t count = std::min(out.descriptors.size(), kMaxDescriptors);
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(count * sizeof(int));
      cmsghdr* const c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(count * sizeof(int));
      std::array<int, kMaxDescriptors> numbers{};
      for (std::size_t i = 0; i < count; ++i) numbers[i] = out.descriptors[i].get();
      std::memcpy(CMSG_DATA(c), numbers.data(), count * sizeof(int));
    }
    const ssize_t n = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) broken_by_ = errno;
    if (n < 0) return broken_by_ == 0;
    out.descriptors.clear();
    out.sent += static_cast<std::size_t>(n);
    if (out.sent == out.bytes.size()) outbox_.erase(outbox_.begin());
  }
  return true;
}

bool Channel::send(const Json& message, std::vector<Descriptor> descriptors) {
  post(message, std::move(descriptors));
  while (has_outbox()) {
    if (!flush()) return false;
    if (!has_outbox()) break;
    pollfd ready{socket_.get(), POLLOUT, 0};
    ::poll(&ready, 1, -1);
  }
  return true;
}

bool Channel::fill() {
  if (!open()) return false;
  std::array<char, 65536> buffer;
  while (true) {
    iovec part{buffer.data(), buffer.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(socket_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) broken_by_ = errno;
    if (n < 0) return broken_by_ == 0;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
        received_.emplace_back(fd);
      }
    }
    if (n == 0) return false;
    inbox_.append(buffer.data(), static_cast<std::size_t>(n));
    if (inbox_.size() > limit_ + 4) return true;  // enough for one message: parse before reading on
  }
}

bool Channel::receive(std::vector<Json>& messages) {
  while (true) {
    const bool alive = fill();
    const std::size_t before = inbox_.size();
    if (!parse(messages, SIZE_MAX) || !alive) return false;
    if (inbox_.size() == before || before <= limit_ + 4) return true;
  }
}

bool Channel::parse(std::vector<Json>& messages, std::size_t most) {
  while (inbox_.size() >= 4 && most > 0) {
    const std::size_t n = length_at(inbox_);
    if (n > limit_) return false;
    if (inbox_.size() < 4 + n) return true;
    const std::string_view frame = std::string_view(inbox_).substr(4, n);
    auto message = frame.starts_with('\0') ? with_bytes(frame) : parse_json(frame, "message");
    if (!message) return false;
    messages.push_back(std::move(*message));
    inbox_.erase(0, 4 + n);
    --most;
  }
  return true;
}

Result<Json> Channel::await(int milliseconds) {
  while (true) {
    std::vector<Json> messages;
    const bool alive = fill();
    if (!parse(messages, 1)) return fail(Code::invalid_input, "what came is no message");
    if (!messages.empty()) return std::move(messages.front());
    if (!alive) return fail(Code::unavailable, "topolaunch has closed the control channel");
    pollfd ready{socket_.get(), POLLIN, 0};
    const int n = ::poll(&ready, 1, milliseconds);
    if (n == 0) return fail(Code::unavailable, "no answer on the control channel");
  }
}

}  // namespace topolaunch::launcher
