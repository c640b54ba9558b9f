// SPDX-License-Identifier: Apache-2.0
#include "quota/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace topolaunch::quota {
namespace {

struct Finalizer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

int bind(sqlite3_stmt* statement, const SqlRow& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int index = static_cast<int>(i) + 1;
    int rc = SQLITE_OK;
    if (const auto* number = std::get_if<std::int64_t>(&values[i])) {
      rc = sqlite3_bind_int64(statement, index, *number);
    } else {
      const auto& text = std::get<std::string>(values[i]);
      rc = sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    if (rc != SQLITE_OK) return rc;
  }
  return SQLITE_OK;
}

SqlValue column(sqlite3_stmt* statement, int i) {
  if (sqlite3_column_type(statement, i) == SQLITE_INTEGER) return sqlite3_column_int64(statement, i);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
  return text == nullptr ? std::string() : std::string(text, size);
}

}  // namespace

void Sqlite::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Error Sqlite::error(int code) const {
  const char* words = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const auto made = [&](Code kind, std::string why, std::string next) {
    return Error{kind, fmt::format("quota ledger: {} ({})", why, words), std::move(next), path_, 0};
  };
  const int system = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  constexpr int kNoSpace = 28, kOverQuota = 122;  // ENOSPC, EDQUOT: WAL and shm files report them as I/O errors
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return made(Code::try_again, "other processes keep it busy", "try again");
    case SQLITE_FULL:
      return made(Code::try_again, "the disk is full, nothing was changed", "make room on its file system, then try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return made(Code::unavailable, "it can't be written", "make its folder writable for you, or name another with --ledger");
    case SQLITE_CANTOPEN:
      if (system == kNoSpace || system == kOverQuota) {
        return made(Code::try_again, "the disk is full, nothing was changed", "make room on its file system, then try again");
      }
      return made(Code::unavailable, "it can't be opened", "make its folder writable for you, or name another with --ledger");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return made(Code::invalid_input, "the file is damaged or no ledger", "restore it from a copy, or name another with --ledger");
    case SQLITE_IOERR:
      if (system == kNoSpace || system == kOverQuota || code == SQLITE_IOERR_SHMSIZE) {
        return made(Code::try_again, "the disk is full, nothing was changed", "make room on its file system, then try again");
      }
      return made(Code::try_again, "reading or writing failed, nothing was changed", "check its disk, then try again");
    case SQLITE_CONSTRAINT:
      return made(Code::internal, "a rule of the tables was broken, nothing was changed", "");
    default:
      return made(Code::try_again, "SQLite refuses, nothing was changed", "");
  }
}

Result<Sqlite> Sqlite::open(const std::string& path, Mode mode, int busy_milliseconds) {
  Sqlite db;
  db.path_ = path;
  sqlite3* handle = nullptr;
  const int flags = (mode == Mode::write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOFOLLOW |
                    SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE;
  const int rc = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  db.handle_.reset(handle);
  if (rc != SQLITE_OK) return fail(db.error(rc));
  sqlite3_busy_timeout(handle, busy_milliseconds);
  return db;
}

Status Sqlite::run(const char* sql, const SqlRow& values) {
  auto rows = query(sql, values);
  if (!rows) return fail(std::move(rows).error());
  return {};
}

Result<std::vector<SqlRow>> Sqlite::query(const char* sql, const SqlRow& values) {
  sqlite3_stmt* raw = nullptr;
  int rc = sqlite3_prepare_v2(handle_.get(), sql, -1, &raw, nullptr);
  const Statement statement(raw);
  if (rc == SQLITE_OK) rc = bind(raw, values);
  if (rc != SQLITE_OK) return fail(error(rc));
  std::vector<SqlRow> rows;
  while ((rc = sqlite3_step(raw)) == SQLITE_ROW) {
    SqlRow row;
    for (int i = 0; i < sqlite3_column_count(raw); ++i) row.push_back(column(raw, i));
    rows.push_back(std::move(row));
  }
  if (rc != SQLITE_DONE) return fail(error(rc));
  return rows;
}

Status Sqlite::script(const char* sql) {
  const int rc = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return fail(error(rc));
  return {};
}

bool Sqlite::in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
bool Sqlite::read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }

}  // namespace topolaunch::quota
