// SPDX-License-Identifier: Apache-2.0
#include "launcher/output/rank_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/files.h"

namespace topolaunch::launcher {
namespace {

/// A line that has no end for this long is a prompt or a progress bar: show it. Somebody looks at a
/// terminal; a pipe or file can wait longer for a line to become whole.
constexpr double kPauseTerminal = 0.2, kPauseOther = 1.0;
/// A line longer than this is shown in pieces, so that memory stays bounded.
constexpr std::size_t kMaxLine = std::size_t{16} << 20;
constexpr std::size_t kLastWords = 4096, kHeldWords = 65536;
/// Bytes of one stream in one turn, so that a chatty rank does not keep the others waiting.
constexpr std::size_t kTurn = std::size_t{256} << 10;
/// At the end a pipe holds at most its capacity (1 MiB, /proc/sys/fs/pipe-max-size), unless a
/// process that isn't the job's writes on and on.
constexpr std::size_t kLastTurn = std::size_t{4} << 20;

}  // namespace

RankOutput::RankOutput(Options options) : options_(std::move(options)) {
  out_ = std::make_unique<Sink>(options_.stdout_fd);
  if (!Sink::same_target(options_.stdout_fd, options_.stderr_fd)) {
    err_ = std::make_unique<Sink>(options_.stderr_fd);
  }
}

Sink& RankOutput::sink(const Stream& stream) {
  return stream.number == 2 && err_ != nullptr ? *err_ : *out_;
}

double RankOutput::pause(const Stream& stream) const {
  const Sink& to = stream.number == 2 && err_ != nullptr ? *err_ : *out_;
  return to.terminal() ? kPauseTerminal : kPauseOther;
}

Result<RankOutput::Stream*> RankOutput::add_stream(int rank, int number) {
  auto stream = std::make_unique<Stream>();
  stream->rank = rank;
  stream->number = number;
  if (rank != kEngine && !options_.log_directory.empty()) {
    if (auto made = make_folders(options_.log_directory); !made) {
      Error error = std::move(made).error();
      error.code = Code::configuration;
      return fail(std::move(error).try_next("choose another --log-dir"));
    }
    const std::string path =
        options_.log_directory + "/rank-" + std::to_string(rank) + (number == 1 ? ".out" : ".err");
    stream->file.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!stream->file) {
      return fail(Error{Code::configuration, std::string("can't write: ") + std::strerror(errno),
                        "choose another --log-dir", path, 0});
    }
  }
  streams_.push_back(std::move(stream));
  return streams_.back().get();
}

Result<Descriptor> RankOutput::open_stream(int rank, int number) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Code::try_again,
                std::string("can't make a pipe for a rank's output: ") + std::strerror(errno),
                "raise the limit of open files (ulimit -n)");
  }
  Descriptor read_end(ends[0]), write_end(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  auto stream = add_stream(rank, number);
  if (!stream) return tl::unexpected(std::move(stream).error());
  (*stream)->pipe = std::move(read_end);
  return write_end;
}

Status RankOutput::open_remote(int rank, int number) {
  auto stream = add_stream(rank, number);
  if (!stream) return tl::unexpected(std::move(stream).error());
  return {};
}

void RankOutput::feed(int rank, int number, std::string_view text) {
  for (const auto& stream : streams_) {
    if (stream->rank != rank || stream->number != number) continue;
    take(*stream, text);
    sink(*stream).flush();
    return;
  }
}

void RankOutput::watch(PollSet& set) {
  for (const auto& stream : streams_) {
    if (sink(*stream).full()) continue;  // the reader of our output is behind: so are the ranks
    set.add(stream->pipe.get(), POLLIN, [this, s = stream.get()](short) { read(*s, false); });
  }
  watch_sinks(set);
}

void RankOutput::watch_sinks(PollSet& set) {
  out_->watch(set);
  if (err_ != nullptr) err_->watch(set);
}

void RankOutput::read(Stream& stream, bool all) {
  std::array<char, 65536> buffer;
  std::size_t taken = 0;
  while (stream.pipe && taken < (all ? kLastTurn : kTurn)) {
    const ssize_t n = ::read(stream.pipe.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n <= 0) {
      stream.pipe.reset();
      show(stream, stream.partial);
      stream.partial.clear();
      break;
    }
    taken += static_cast<std::size_t>(n);
    take(stream, std::string_view(buffer.data(), static_cast<std::size_t>(n)));
  }
  sink(stream).flush();
}

void RankOutput::take(Stream& stream, std::string_view text) {
  if (stream.file) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t n = ::write(stream.file.get(), rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        problem_ =
            "log of rank " + std::to_string(stream.rank) + " cut short: " + std::strerror(errno);
        stream.file.reset();
        break;
      }
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  if (stream.number == 2) {
    stream.last.append(text.substr(text.size() - std::min(text.size(), kLastWords)));
    if (stream.last.size() > kLastWords) stream.last.erase(0, stream.last.size() - kLastWords);
  }
  const std::size_t newline = text.rfind('\n');
  if (newline == std::string_view::npos) {
    stream.partial += text;
  } else {
    stream.partial += text.substr(0, newline + 1);
    show(stream, stream.partial);
    stream.partial.assign(text.substr(newline + 1));
  }
  stream.changed = 0;
  if (stream.partial.size() > kMaxLine) {
    show(stream, stream.partial);
    stream.partial.clear();
  }
}

void RankOutput::show(Stream& stream, std::string_view text) {
  if (options_.quiet_engine && stream.rank == kEngine) {
    stream.held += text;
    if (stream.held.size() > kHeldWords) stream.held.erase(0, stream.held.size() - kHeldWords);
    return;
  }
  const std::string tag = options_.tag && stream.rank != kEngine
                              ? "[" + std::to_string(stream.rank) + "] "
                              : std::string();
  // The two streams of a rank are two owners: its stderr must not continue its stdout's line.
  sink(stream).write(stream.rank * 4 + stream.number, tag, text);
}

void RankOutput::show_due(double now) {
  for (const auto& stream : streams_) {
    if (!stream->partial.empty()) {
      if (stream->changed == 0) stream->changed = now;
      if (now - stream->changed >= pause(*stream)) {
        show(*stream, stream->partial);
        stream->partial.clear();
        sink(*stream).flush();
      }
    }
    // Our reader has gone, and no file is kept: the rank is told as it would be without us. That
    // nothing can be written is not the rank's to be told: it would be blamed for it.
    const Sink& to = sink(*stream);
    if (stream->pipe && !stream->file && stream->rank != kEngine && to.dead() &&
        to.failure().empty()) {
      stream->pipe.reset();
    }
  }
}

int RankOutput::milliseconds_to_show(double now) const {
  double soonest = -1;
  for (const auto& stream : streams_) {
    if (stream->partial.empty()) continue;
    const double since = stream->changed == 0 ? now : stream->changed;
    const double left = std::max(0.0, since + pause(*stream) - now);
    if (soonest < 0 || left < soonest) soonest = left;
  }
  return soonest < 0 ? -1 : static_cast<int>(std::ceil(soonest * 1000));
}

void RankOutput::finish() {
  for (const auto& stream : streams_) {
    read(*stream, true);
    show(*stream, stream->partial);
    stream->partial.clear();
    stream->pipe.reset();
  }
  out_->flush();
  if (err_ != nullptr) err_->flush();
}

std::string RankOutput::failure() const {
  const bool both = err_ == nullptr;
  if (!out_->failure().empty()) {
    return (both ? "stdout and stderr" : "stdout") + (" can't be written to " + out_->failure());
  }
  if (both || err_->failure().empty()) return {};
  return "stderr can't be written to " + err_->failure();
}

void RankOutput::show_engine_words() {
  options_.quiet_engine = false;
  for (const auto& stream : streams_) {
    if (!stream->held.empty()) show(*stream, stream->held);
    stream->held.clear();
  }
  out_->flush();
  if (err_ != nullptr) err_->flush();
}

bool RankOutput::pending() const {
  return out_->pending() > 0 || (err_ != nullptr && err_->pending() > 0);
}

const std::string& RankOutput::last_words(int rank) const {
  static const std::string none;
  for (const auto& stream : streams_) {
    if (stream->rank == rank && stream->number == 2) return stream->last;
  }
  return none;
}

}  // namespace topolaunch::launcher
