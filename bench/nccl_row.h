// SPDX-License-Identifier: Apache-2.0
//
// A row of figures in what nccl-tests print. Before the eight figures (time algbw busbw #wrong, out
// of place and in place) stand size, count and type, and as many of redop and root as the release
// and the collective have: before 2.11 only those that mean something.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measurement.h"

namespace topolaunch::bench {

/// Words between blanks.
std::vector<std::string> words_of(std::string_view line);

/// Whether they begin as a row does: size, count, type.
bool begins_row(const std::vector<std::string>& words);
/// Whether they may go on with one that lines of a log have cut in pieces: figures alone.
bool continues_row(const std::vector<std::string>& words);
/// Nothing if a column is missing or isn't what it should be.
std::optional<SizeResult> row_of(const std::vector<std::string>& words);

/// The line up to where NCCL wrote a message of its own into it ("HOST:PID:TID [0] NCCL INFO ...");
/// known by the host and process among `devices`.
std::string_view before_message(std::string_view line, const std::vector<Device>& devices);

/// Which collective the rows are of, where the log doesn't say: by its redop and root, and by
/// busbw over algbw. Empty if they fit none or several.
std::string collective_by_rows(const Measurement& measurement);

}  // namespace topolaunch::bench
