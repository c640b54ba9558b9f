// SPDX-License-Identifier: Apache-2.0
//
// Host keeper: what it does for its shims and ranks.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <nlohmann/json.hpp>

#include "launcher/json_fields.h"
#include "launcher/supervise/host_keeper.h"
#include "launcher/supervise/kin.h"

namespace topolaunch::launcher {
namespace {

/// Bytes of one stream in one turn, so that a chatty rank does not keep the others waiting; and at
/// the end, more than a pipe can hold (1 MiB, /proc/sys/fs/pipe-max-size).
constexpr std::size_t kTurn = std::size_t{128} << 10, kLastTurn = std::size_t{4} << 20;

/// A pipe whose end `ours` (0 = to read, 1 = to write) does not block. False: none to be had.
bool make_pipe(std::array<Descriptor, 2>& ends, std::size_t ours) {
  std::array<int, 2> numbers{};
  if (::pipe2(numbers.data(), O_CLOEXEC) != 0) return false;
  ends[0].reset(numbers[0]);
  ends[1].reset(numbers[1]);
  ::fcntl(numbers[ours], F_SETFL, O_NONBLOCK);
  return true;
}

}  // namespace

void HostKeeper::greet() {
  while (auto peer = server_.accept()) {
    if (strangers_.size() > 2 * seats_.size() + 256) continue;  // a crowd
    auto stranger = std::make_unique<Stranger>();
    stranger->channel = std::move(peer->channel);
    stranger->pid = peer->pid;
    strangers_.push_back(std::move(stranger));
  }
}

void HostKeeper::hear(Stranger& stranger) {
  std::vector<Json> messages;
  const bool alive = stranger.channel.receive(messages);
  if (messages.empty()) {
    if (!alive) stranger.channel.close();
    return;
  }
  Channel channel = std::move(stranger.channel);
  JsonFields in(messages.front(), "greeting", "");
  const int rank = in.integer_or("rank", 0, INT_MAX - 1, -1);
  if (rank < 0 || !server_.is_secret(in.text_or("secret", {}))) return;
  Seat& seat = seats_[rank];
  if (seat.process.stage != Stage::expected) return;
  seat.rank = rank;
  seat.process.pid = stranger.pid;
  // The shim waits for our answer, so its number is still its own.
  seat.process.pidfd = open_pidfd(stranger.pid);
  const bool dead = !seat.process.pidfd && errno == ESRCH;  // killed while it waited
  seat.process.channel = std::move(channel);
  seat.process.channel.set_limit(Channel::kMaxMessage);
  seat.process.stage = Stage::greeted;
  if (dead) {
    ended(seat);
  } else if (seat.order) {
    give_order(seat);
  }
}

void HostKeeper::give_order(Seat& seat) {
  std::vector<Descriptor> theirs;
  std::array<Descriptor, 2> ends;
  bool made = true;
  if (JsonFields(*seat.order, "order", "").flag_or("has_stdin", false)) {
    made = make_pipe(ends, 1);
    theirs.push_back(std::move(ends[0]));
    seat.input = std::move(ends[1]);
  }
  for (Descriptor& pipe : seat.pipes) {
    made = made && make_pipe(ends, 0);
    pipe = std::move(ends[0]);
    theirs.push_back(std::move(ends[1]));
  }
  if (!made) {
    say(Json{{"rank", seat.rank},
             {"error",
              {{"code", exit_status(Code::try_again)},
               {"message", std::string("no pipes for its output: ") + std::strerror(errno)},
               {"next", "raise the limit of open files (ulimit -n) there"}}}});
    return;
  }
  seat.process.channel.post(*seat.order, std::move(theirs));
  hear(seat);
  move_input(seat);
}

void HostKeeper::hear(Seat& seat) {
  Channel& channel = seat.process.channel;
  if (!channel.open()) return;
  std::vector<Json> messages;
  bool alive = channel.flush();
  alive = channel.receive(messages) && alive;
  for (Json& message : messages) {
    if (!message.is_object()) continue;
    if (message.contains("observation")) seat.process.stage = Stage::observed;
    message["rank"] = seat.rank;
    say(message);
  }
  if (alive) return;
  // exec has closed the shim's end: it is the command now, if it had come so far.
  channel.close();
  if (seat.process.stage == Stage::observed) {
    seat.process.stage = Stage::running;
    say(Json{{"running", seat.rank}});
  }
}

void HostKeeper::read_output(Seat& seat, std::size_t stream, bool all) {
  Descriptor& pipe = seat.pipes[stream];
  std::array<char, 65536> buffer;
  std::size_t taken = 0;
  while (pipe && taken < (all ? kLastTurn : kTurn)) {
    const ssize_t n = ::read(pipe.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n <= 0) {
      pipe.reset();
      break;
    }
    const auto size = static_cast<std::size_t>(n);
    taken += size;
    unanswered_ += size;
    launcher_.post_bytes(Json{{"output", seat.rank}, {"stream", stream + 1}},
                         std::string_view(buffer.data(), size));
  }
}

void HostKeeper::move_input(Seat& seat) {
  while (seat.input && !seat.waiting_input.empty()) {
    const ssize_t n = ::write(seat.input.get(), seat.waiting_input.data(),
                              seat.waiting_input.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) {  // the rank reads no more
      seat.input.reset();
      break;
    }
    seat.waiting_input.erase(0, static_cast<std::size_t>(n));
    say(Json{{"took", n}});
  }
  const bool reads_no_more = !seat.input && seat.process.stage > Stage::greeted;
  if (reads_no_more) seat.waiting_input.clear();
  if (seat.input_ended && seat.waiting_input.empty()) seat.input.reset();
}

}  // namespace topolaunch::launcher
