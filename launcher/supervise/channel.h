// SPDX-License-Identifier: Apache-2.0
//
// Channel: JSON messages over a stream socket, each behind its length (four bytes, little endian),
// with descriptors riding along on local sockets, or with bytes behind them (a rank's output).
// topolaunch talks so to its keeper, its shims and the keepers of other hosts.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "launcher/supervise/descriptor.h"

namespace topolaunch::launcher {

class Channel {
 public:
  static constexpr std::size_t kMaxMessage = std::size_t{16} << 20;

  Channel() = default;
  /// `limit`: the largest message that is accepted; a peer that says more is cut off.
  explicit Channel(Descriptor socket, std::size_t limit = kMaxMessage)
      : socket_(std::move(socket)), limit_(limit) {}

  int fd() const { return socket_.get(); }
  bool open() const { return static_cast<bool>(socket_); }
  void close() { socket_.reset(); }
  void set_limit(std::size_t limit) { limit_ = limit; }

  /// Puts a message into the outbox; the descriptors are sent with it and closed then.
  void post(const Json& message, std::vector<Descriptor> descriptors = {});
  /// A message with bytes behind it, which need not be text: its member "bytes" at the other end.
  void post_bytes(const Json& message, std::string_view bytes);
  /// Sends as much of the outbox as the socket takes now. False when the peer is gone.
  bool flush();
  bool has_outbox() const { return !outbox_.empty(); }
  /// errno of what ended the connection; 0 = the peer closed it, or it is open.
  int broken_by() const { return broken_by_; }
  /// post(), then waits until all of it is sent. False when the peer is gone.
  bool send(const Json& message, std::vector<Descriptor> descriptors = {});

  /// Reads what is there, without waiting, and appends whole messages. False when the peer has
  /// closed or has sent what is no message.
  bool receive(std::vector<Json>& messages);
  /// Waits up to `milliseconds` for one message.
  Result<Json> await(int milliseconds);
  /// Descriptors that came along, in order; the caller takes them.
  std::vector<Descriptor> take_descriptors() { return std::exchange(received_, {}); }

 private:
  struct Outgoing {
    std::string bytes;
    std::size_t sent = 0;
    std::vector<Descriptor> descriptors;
  };
  /// Appends what has come in, without waiting. False when the peer is gone.
  bool fill();
  /// Takes whole messages out of the inbox, at most `most`. False for what is no message.
  bool parse(std::vector<Json>& messages, std::size_t most);

  Descriptor socket_;
  std::size_t limit_ = kMaxMessage;
  int broken_by_ = 0;
  std::vector<Outgoing> outbox_;
  std::string inbox_;
  std::vector<Descriptor> received_;
};

}  // namespace topolaunch::launcher
