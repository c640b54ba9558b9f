// SPDX-License-Identifier: Apache-2.0
//
// Errors as values. A function that can fail for the world's reasons returns Result<T>; a broken
// invariant is a bug and throws std::logic_error, which only main catches.
//
//   Result<Topology> read(...) {
//     auto text = files.read(path);
//     if (!text) return fail(std::move(text).error().within("topology"));
//     if (bad) return fail(Error{Code::invalid_input, "no <system> element"}.at(path,
//     3).try_next("..."));
//   }
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace topolaunch {

/// What kind of failure. The set is closed; each code is one row of docs/exit-status.md and its
/// value is the process's exit status when the failure ends a verb before the job has started.
enum class Code {
  wrong_usage = 64,        ///< the command line is wrong
  invalid_input = 65,      ///< an input file can't be read or says something impossible
  unavailable = 69,        ///< an engine, library or source isn't there or can't be asked
  internal = 70,           ///< a bug in topolaunch
  try_again = 75,          ///< would work later: ledger unreachable, quota not free now
  denied = 77,             ///< quota or token says no
  configuration = 78,      ///< configuration file, site lock, or an engine that can't run this job
  infeasible = 79,         ///< no placement satisfies the constraints
  validation_failed = 80,  ///< measured or observed, and not as planned
  could_not_test = 81,     ///< the check itself could not be made
  interrupted = 130,       ///< the user's Ctrl-C
  not_executable = 126,    ///< the command is there and can't be executed
  not_found = 127,         ///< the command isn't there
};

/// Exit status of `code`.
constexpr int exit_status(Code code) { return static_cast<int>(code); }

/// One failure: what is wrong, where, and what to try next. Messages are lower case, one sentence,
/// no full stop; they name the exact cause, never a guess.
struct [[nodiscard]] Error {
  Code code = Code::internal;
  std::string message;  ///< what is wrong
  std::string next;     ///< the next thing to try; may be empty
  std::string file;     ///< input file, if one is to blame
  int line = 0;         ///< 1-based line in `file`; 0 = the whole file

  Error at(std::string file_name, int line_number = 0) && {
    file = std::move(file_name);
    line = line_number;
    return std::move(*this);
  }
  Error try_next(std::string what) && {
    next = std::move(what);
    return std::move(*this);
  }
  /// Says in what stage it happened: "map: ...". The first to know speaks; callers only add where.
  Error within(std::string_view where) && {
    message = std::string(where) + ": " + message;
    return std::move(*this);
  }
  /// "file:line: message; next" on one line, as printed behind "topolaunch: ". Control characters,
  /// which may come out of a hostile file or name, are written as "\x1b".
  std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> fail(Code code, std::string message, std::string next = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(next), {}, 0});
}

}  // namespace topolaunch
