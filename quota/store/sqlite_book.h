// SPDX-License-Identifier: Apache-2.0
//
// The ledger as one SQLite file: write-ahead log with full synchronisation, writers one at a time
// from their first read, the sums of every grant held by CHECK constraints, the journal append-only
// by triggers. For one machine: the log's index is shared memory, so no network file system.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "quota/store/book.h"

namespace topolaunch::quota {

/// Name of the file system that a path is on; "nfs", "lustre" and the like are refused.
using FileSystemType = std::function<std::string(const std::string& path)>;
/// By statfs(2) magic number; FUSE is looked up in /proc/self/mountinfo ("fuse.sshfs").
FileSystemType file_system_type(const Files& files);
/// A file system that several machines share, or that can't be trusted with shared memory.
bool is_shared_file_system(const std::string& type);

struct SqliteOptions {
  enum class Mode { read, write, create };  ///< create: makes the file (0600) and its folder (0700)
  Mode mode = Mode::write;
  int busy_milliseconds = 10'000;
  FileSystemType file_system;  ///< empty = not looked at
};

/// unavailable if there is no file (read, write) or it can't be opened or written; configuration on a
/// shared file system or for a newer schema; try_again if busy or the disk is full.
Result<std::unique_ptr<Book>> open_sqlite_book(const std::string& path, const SqliteOptions& options);
/// The whole ledger over it. `clock` outlives it.
Result<std::unique_ptr<LedgerStore>> open_sqlite_ledger(const std::string& path, const SqliteOptions& options,
                                                        const Clock& clock);

}  // namespace topolaunch::quota
