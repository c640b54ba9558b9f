// SPDX-License-Identifier: Apache-2.0
#include "quota/store/memory_book.h"

#include <map>
#include <stdexcept>
#include <utility>

#include "quota/ledger.h"
#include "quota/uuid.h"

namespace topolaunch::quota {
namespace {

struct Rows {
  std::map<std::string, std::string> meta;
  std::map<std::string, Balance> accounts;
  std::map<std::string, RunRecord> runs;
  std::vector<JournalEntry> entries;
  std::map<std::string, Book::Refund> refunds;
  std::map<std::pair<std::string, std::string>, std::string> revoked;
};

template <class Map, class Key>
auto found(const Map& map, const Key& key) -> std::optional<typename Map::mapped_type> {
  const auto it = map.find(key);
  if (it == map.end()) return {};
  return it->second;
}

class MemoryBook final : public Book {
 public:
  Status begin(bool) override {
    before_ = rows_;
    return {};
  }
  Status commit() override {
    before_.reset();
    return {};
  }
  void rollback() override {
    if (before_) rows_ = std::move(*before_);
    before_.reset();
  }
  Result<std::optional<std::string>> meta(const std::string& name) override { return found(rows_.meta, name); }
  Status set_meta(const std::string& name, const std::string& value) override {
    rows_.meta[name] = value;
    return {};
  }
  Result<std::optional<Balance>> account(const std::string& jti) override {
    auto account = found(rows_.accounts, jti);
    if (account) complete(*account);
    return account;
  }
  Result<std::vector<Balance>> accounts() override {
    std::vector<Balance> out;
    for (const auto& [jti, account] : rows_.accounts) complete(out.emplace_back(account));
    return out;
  }
  Status add_account(const Balance& account) override {
    rows_.accounts.emplace(account.grant.jti, account);
    return {};
  }
  Status put_account(const Balance& account) override {
    if (account.settled < 0 || account.held < 0 || account.refunded < 0 || account.refunded > account.settled ||
        account.free() < 0) {
      return fail(Code::internal, "the ledger's sums would not add up");
    }
    Balance& row = rows_.accounts.at(account.grant.jti);
    row.settled = account.settled;
    row.held = account.held;
    row.refunded = account.refunded;
    return {};
  }
  Result<std::optional<RunRecord>> run(const std::string& run_id) override { return found(rows_.runs, run_id); }
  Result<std::vector<RunRecord>> runs(bool open_only) override {
    std::vector<RunRecord> out;
    for (const auto& [id, run] : rows_.runs) {
      if (!open_only || run.open()) out.push_back(run);
    }
    return out;
  }
  Status add_run(const RunRecord& run) override {
    rows_.runs.emplace(run.run_id, run);
    return {};
  }
  Status put_run(const RunRecord& run) override {
    rows_.runs[run.run_id] = run;
    return {};
  }
  Result<std::optional<JournalEntry>> last_entry() override {
    if (rows_.entries.empty()) return std::optional<JournalEntry>();
    return rows_.entries.back();
  }
  Result<std::vector<JournalEntry>> entries() override { return rows_.entries; }
  Status append(const JournalEntry& entry) override {
    rows_.entries.push_back(entry);
    return {};
  }
  Result<std::optional<Refund>> refund(const std::string& id) override { return found(rows_.refunds, id); }
  Status add_refund(const Refund& refund) override {
    rows_.refunds.emplace(refund.id, refund);
    return {};
  }
  Result<std::optional<std::string>> revoked(const std::string& kind, const std::string& id) override {
    return found(rows_.revoked, std::pair(kind, id));
  }
  Status add_revoked(const std::string& kind, const std::string& id, const std::string& reason) override {
    rows_.revoked.emplace(std::pair(kind, id), reason);
    return {};
  }

 private:
  void complete(Balance& account) const {
    account.gpus_in_use = 0;
    for (const auto& [id, run] : rows_.runs) {
      if (run.open() && run.jti == account.grant.jti) account.gpus_in_use += run.gpus;
    }
  }
  Rows rows_;
  std::optional<Rows> before_;
};

}  // namespace

std::unique_ptr<Book> make_memory_book() { return std::make_unique<MemoryBook>(); }

std::unique_ptr<LedgerStore> make_memory_ledger(const Clock& clock) {
  auto book = make_memory_book();
  if (!book->set_meta("ledger_uuid", make_uuid_v4())) throw std::logic_error("memory refuses");
  auto ledger = Ledger::over(std::move(book), clock);
  if (!ledger) throw std::logic_error(ledger.error().text());
  return std::move(*ledger);
}

}  // namespace topolaunch::quota
