// SPDX-License-Identifier: Apache-2.0
#include "quota/store/sqlite_book.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "quota/ledger.h"
#include "quota/store/rows.h"
#include "quota/store/schema.h"
#include "quota/store/sqlite.h"
#include "quota/uuid.h"

namespace topolaunch::quota {
namespace {

class SqliteBook final : public Book {
 public:
  explicit SqliteBook(Sqlite db) : db_(std::move(db)) {}

  Status begin(bool writing) override { return db_.run(writing ? "BEGIN IMMEDIATE" : "BEGIN"); }
  Status commit() override { return db_.run("COMMIT"); }
  void rollback() override {
    // A full disk may have rolled back already; nothing else can fail here that would matter.
    if (db_.in_transaction()) static_cast<void>(db_.run("ROLLBACK"));
  }

  Result<std::optional<std::string>> meta(const std::string& name) override {
    return one<std::string>("SELECT value FROM meta WHERE name = ?", {name},
                            [](const SqlRow& row) { return std::get<std::string>(row[0]); });
  }
  Status set_meta(const std::string& name, const std::string& value) override {
    return db_.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                   {name, value});
  }

  Result<std::optional<Balance>> account(const std::string& jti) override {
    auto rows = db_.query(kSelectAccountByJti, {jti});
    if (!rows) return fail(std::move(rows).error());
    if (rows->empty()) return std::optional<Balance>();
    auto account = account_from_row(rows->front(), db_.path());
    if (!account) return fail(std::move(account).error());
    return std::optional<Balance>(std::move(*account));
  }
  Result<std::vector<Balance>> accounts() override {
    auto rows = db_.query(kSelectAccounts);
    if (!rows) return fail(std::move(rows).error());
    std::vector<Balance> out;
    for (const SqlRow& row : *rows) {
      auto account = account_from_row(row, db_.path());
      if (!account) return fail(std::move(account).error());
      out.push_back(std::move(*account));
    }
    return out;
  }
  Status add_account(const Balance& account) override {
    return db_.run("INSERT INTO account VALUES (?, ?, ?, ?, ?, ?, ?)", row_of(account));
  }
  Status put_account(const Balance& account) override {
    return db_.run("UPDATE account SET settled = ?, held = ?, refunded = ? WHERE jti = ?",
                   {account.settled, account.held, account.refunded, account.grant.jti});
  }

  Result<std::optional<RunRecord>> run(const std::string& run_id) override {
    return one<RunRecord>(kSelectRunById, {run_id}, run_from_row);
  }
  Result<std::vector<RunRecord>> runs(bool open_only) override {
    return all<RunRecord>(open_only ? kSelectOpenRuns : kSelectRuns, run_from_row);
  }
  Status add_run(const RunRecord& run) override { return db_.run(kInsertRun, row_of(run)); }
  Status put_run(const RunRecord& run) override { return db_.run(kReplaceRun, row_of(run)); }

  Result<std::optional<JournalEntry>> last_entry() override {
    return one<JournalEntry>("SELECT * FROM journal ORDER BY sequence DESC LIMIT 1", {}, entry_from_row);
  }
  Result<std::vector<JournalEntry>> entries() override {
    return all<JournalEntry>("SELECT * FROM journal ORDER BY sequence", entry_from_row);
  }
  Status append(const JournalEntry& e) override {
    return db_.run("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   {e.sequence, e.at, e.operation, e.jti, e.run_id, e.from, e.to, e.amount, e.note, e.hash});
  }

  Result<std::optional<Refund>> refund(const std::string& id) override {
    return one<Refund>("SELECT refund_id, run_id, reason, gpu_seconds FROM refund WHERE refund_id = ?", {id},
                       [](const SqlRow& row) {
                         return Refund{std::get<std::string>(row[0]), std::get<std::string>(row[1]),
                                       std::get<std::string>(row[2]), std::get<std::int64_t>(row[3])};
                       });
  }
  Status add_refund(const Refund& r) override {
    return db_.run("INSERT INTO refund VALUES (?, ?, ?, ?)", {r.id, r.run_id, r.gpu_seconds, r.reason});
  }
  Result<std::optional<std::string>> revoked(const std::string& kind, const std::string& id) override {
    return one<std::string>("SELECT reason FROM revoked WHERE kind = ? AND id = ?", {kind, id},
                            [](const SqlRow& row) { return std::get<std::string>(row[0]); });
  }
  Status add_revoked(const std::string& kind, const std::string& id, const std::string& reason) override {
    return db_.run("INSERT INTO revoked VALUES (?, ?, ?)", {kind, id, reason});
  }

 private:
  template <class T, class Read>
  Result<std::optional<T>> one(const char* sql, const SqlRow& values, Read read) {
    auto rows = db_.query(sql, values);
    if (!rows) return fail(std::move(rows).error());
    if (rows->empty()) return std::optional<T>();
    return std::optional<T>(read(rows->front()));
  }
  template <class T, class Read>
  Result<std::vector<T>> all(const char* sql, Read read) {
    auto rows = db_.query(sql);
    if (!rows) return fail(std::move(rows).error());
    std::vector<T> out;
    for (const SqlRow& row : *rows) out.push_back(read(row));
    return out;
  }
  Sqlite db_;
};

/// An empty file of mode 0600 in a folder of mode 0700; one that is there is left as it is.
Status make_file(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const auto refused = [&](Error error) -> Status {
    error.code = errno == ENOSPC || errno == EDQUOT ? Code::try_again : Code::unavailable;
    error.message = "quota ledger: " + error.message;
    error.next = error.code == Code::try_again ? "make room on its file system, then try again"
                                               : "make its folder writable for you, or name another with --ledger";
    return fail(std::move(error));
  };
  if (auto made = make_folders(folder, 0700); !made) return refused(std::move(made).error());
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return refused(Error{Code::unavailable, fmt::format("can't create it: {}", std::strerror(errno)), {}, path, 0});
  }
  ::close(fd);
  return {};
}

/// The journal mode is kept in the file: this does something once. Two processes that do it at the
/// same moment can both be told "busy" without waiting, so it is tried until the time is up.
Status use_write_ahead_log(Sqlite& db, int busy_milliseconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_milliseconds);
  while (true) {
    auto mode = db.query("PRAGMA journal_mode = WAL");
    if (mode && mode->size() == 1 && std::get<std::string>(mode->front()[0]) == "wal") return {};
    if (mode) {
      return fail(Error{Code::configuration, "quota ledger: this file system can't keep a write-ahead log",
                        "put it on a local disk: --ledger sqlite:PATH", db.path(), 0});
    }
    if (mode.error().code != Code::try_again || std::chrono::steady_clock::now() > until) {
      return fail(std::move(mode).error());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Result<std::int64_t> schema_version(Sqlite& db) {
  auto rows = db.query("PRAGMA user_version");
  if (!rows) return fail(std::move(rows).error());
  return std::get<std::int64_t>(rows->front()[0]);
}

Status make_tables(Sqlite& db) {
  if (auto begun = db.run("BEGIN IMMEDIATE"); !begun) return begun;
  auto version = schema_version(db);  // another process may have been faster
  Status done;
  if (!version) {
    done = fail(std::move(version).error());
  } else if (*version == 0) {
    auto tables = db.query("SELECT count(*) FROM sqlite_schema");
    if (!tables) {
      done = fail(std::move(tables).error());
    } else if (std::get<std::int64_t>(tables->front()[0]) != 0) {
      done = fail(Error{Code::invalid_input, "quota ledger: this is some other SQLite database",
                        "name another file with --ledger", db.path(), 0});
    }
    if (done) done = db.script(kSchema);
    if (done) done = db.run("INSERT INTO meta VALUES ('ledger_uuid', ?)", {make_uuid_v4()});
    if (done) done = db.script(fmt::format("PRAGMA user_version = {}", kSchemaVersion).c_str());
  }
  if (done) done = db.run("COMMIT");
  if (!done && db.in_transaction()) static_cast<void>(db.run("ROLLBACK"));
  return done;
}

}  // namespace

Result<std::unique_ptr<Book>> open_sqlite_book(const std::string& path, const SqliteOptions& options) {
  using Mode = SqliteOptions::Mode;
  if (path.empty()) return fail(Code::wrong_usage, "quota ledger: no path", "--ledger sqlite:PATH");
  // SQLite is told to follow no link; those of the folders above are resolved here.
  std::error_code error;
  std::filesystem::path real = std::filesystem::weakly_canonical(std::filesystem::path(path).parent_path().empty()
                                                                     ? std::filesystem::path(".")
                                                                     : std::filesystem::path(path).parent_path(),
                                                                 error);
  if (error) real = std::filesystem::path(path).parent_path();
  const std::string file = (real / std::filesystem::path(path).filename()).string();
  if (options.file_system) {
    std::filesystem::path there = real;
    while (!there.empty() && !std::filesystem::exists(there, error) && there != there.parent_path()) {
      there = there.parent_path();
    }
    const std::string type = options.file_system(there.string());
    if (is_shared_file_system(type)) {
      return fail(Error{Code::configuration,
                        fmt::format("quota ledger: it would be on {}, where SQLite's locks can't be relied on", type),
                        "put it on a local disk of the launch host: --ledger sqlite:/var/lib/topolaunch/ledger.sqlite",
                        file, 0});
    }
  }
  struct stat info {};
  const bool there = ::lstat(file.c_str(), &info) == 0;
  if (!there && options.mode != Mode::create) {
    return fail(Error{Code::unavailable, "quota ledger: there is none yet",
                      "quota issue --ledger makes one, or name another with --ledger", file, 0});
  }
  if (!there) {
    if (auto made = make_file(file); !made) return fail(made.error());
  }
  auto db = Sqlite::open(file, options.mode == Mode::read ? Sqlite::Mode::read : Sqlite::Mode::write,
                         options.busy_milliseconds);
  if (!db) return fail(std::move(db).error());
  if (options.mode != Mode::read && db->read_only()) {
    return fail(Error{Code::unavailable, "quota ledger: it can't be written",
                      "make the file and its folder writable for you, or name another with --ledger", file, 0});
  }
  if (auto set = db->script("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF"); !set) {
    return fail(set.error());
  }
  auto version = schema_version(*db);
  if (!version) return fail(std::move(version).error());
  if (*version > kSchemaVersion) {
    return fail(Error{Code::configuration,
                      fmt::format("quota ledger: its schema is version {}, this topolaunch knows up to {}", *version,
                                  kSchemaVersion),
                      "use the newer topolaunch that wrote it", file, 0});
  }
  if (*version == 0 && options.mode == Mode::read) {
    return fail(Error{Code::invalid_input, "quota ledger: it holds no tables", "name another with --ledger", file, 0});
  }
  if (options.mode != Mode::read) {
    if (auto wal = use_write_ahead_log(*db, options.busy_milliseconds); !wal) return fail(wal.error());
  }
  if (*version == 0) {
    if (auto made = make_tables(*db); !made) return fail(made.error());
  }
  return std::unique_ptr<Book>(std::make_unique<SqliteBook>(std::move(*db)));
}

Result<std::unique_ptr<LedgerStore>> open_sqlite_ledger(const std::string& path, const SqliteOptions& options,
                                                        const Clock& clock) {
  auto book = open_sqlite_book(path, options);
  if (!book) return fail(std::move(book).error());
  return Ledger::over(std::move(*book), clock);
}

}  // namespace topolaunch::quota
