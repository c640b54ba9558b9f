// SPDX-License-Identifier: Apache-2.0
//
// RankOutput: the ranks' stdout and stderr on their way to ours and to files. Each rank has two
// pipes of its own; their read ends are here.
//
//   RankOutput output({.tag = true});
//   output.add({rank, 1, std::move(read_end)});
//   each turn:  output.watch(poll_set, now); ...; output.show_due(now);
//   at the end: output.drain(...)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launcher/output/sink.h"

namespace topolaunch::launcher {

class RankOutput {
 public:
  struct Options {
    bool tag = false;
    std::string log_directory;  ///< rank-N.out, rank-N.err, byte for byte; empty = none
    int stdout_fd = 1, stderr_fd = 2;
    /// An engine's own words are held back until show_engine_words().
    bool quiet_engine = false;
  };
  explicit RankOutput(Options options);

  static constexpr int kEngine = -1;  ///< an engine's own words: no tag, no file
  /// A pipe with its write end, for a rank's stream 1 or 2.
  Result<Descriptor> open_stream(int rank, int stream);

  /// For a stream whose bytes come from another host, through feed().
  Status open_remote(int rank, int stream);
  void feed(int rank, int stream, std::string_view text);
  /// The reader of our output is behind: who feeds should pause.
  bool behind() const { return out_->full() || (err_ != nullptr && err_->full()); }

  void watch(PollSet& set);
  /// Shows pieces of lines whose rank has paused; closes pipes that nobody shows any more.
  void show_due(double now);
  /// Milliseconds until show_due() has something to do; -1 = nothing waits.
  int milliseconds_to_show(double now) const;
  /// Takes over what is in the pipes now and shows all of it, ended lines or not.
  void finish();
  /// Our own stdout and stderr still have something to take.
  bool pending() const;
  void watch_sinks(PollSet& set);
  /// Something went wrong with the files; empty = no.
  const std::string& problem() const { return problem_; }
  /// Our stdout or stderr can't be written, with file and reason; empty = they can.
  std::string failure() const;
  /// Shows what quiet_engine has held back: at most the last 64 KiB.
  void show_engine_words();
  /// The last words on stderr, of the engine (kEngine) or a rank: at most 4 KiB.
  const std::string& last_words(int rank) const;

 private:
  struct Stream {
    int rank = 0, number = 1;
    Descriptor pipe, file;
    std::string partial;
    std::string last;    ///< of stderr
    std::string held;    ///< of a quiet engine
    double changed = 0;  ///< when the partial line last grew; 0 = now, not stamped yet
  };
  Result<Stream*> add_stream(int rank, int number);
  void read(Stream& stream, bool all);
  void take(Stream& stream, std::string_view text);
  void show(Stream& stream, std::string_view text);
  Sink& sink(const Stream& stream);
  double pause(const Stream& stream) const;

  Options options_;
  std::unique_ptr<Sink> out_, err_;  ///< err_ is null when both lead to the same place
  std::vector<std::unique_ptr<Stream>> streams_;
  std::string problem_;
};

}  // namespace topolaunch::launcher
