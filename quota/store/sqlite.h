// SPDX-License-Identifier: Apache-2.0
//
// SQLite's C interface as values: a connection and prepared statements that give themselves back,
// results as Result. Only what the ledger needs.
//
//   auto row = db.query("SELECT name FROM t WHERE id = ?", {7});   // one transaction of its own
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

struct sqlite3;

namespace topolaunch::quota {

using SqlValue = std::variant<std::int64_t, std::string>;
using SqlRow = std::vector<SqlValue>;

class Sqlite {
 public:
  enum class Mode { read, write };
  /// Opens an existing file; never creates one. try_again while another process holds it for more
  /// than `busy_milliseconds`.
  static Result<Sqlite> open(const std::string& path, Mode mode, int busy_milliseconds);

  Sqlite(Sqlite&&) = default;
  Sqlite& operator=(Sqlite&&) = default;
  ~Sqlite() = default;

  Status run(const char* sql, const SqlRow& values = {});
  /// All rows; NULL reads as an empty string.
  Result<std::vector<SqlRow>> query(const char* sql, const SqlRow& values = {});
  /// Several statements without values.
  Status script(const char* sql);
  bool in_transaction() const;
  bool read_only() const;  ///< the file could only be opened for reading
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  Sqlite() = default;
  Error error(int code) const;
  std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

}  // namespace topolaunch::quota
