// SPDX-License-Identifier: Apache-2.0
#include "quota/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "quota/journal.h"
#include "quota/printable.h"

namespace topolaunch::quota {
namespace {

tl::unexpected<Error> no_run(const std::string& run_id) {
  return fail(Code::denied, fmt::format("the ledger knows no run '{}'", printable(run_id)));
}

}  // namespace

Result<std::unique_ptr<LedgerStore>> Ledger::over(std::unique_ptr<Book> book, const Clock& clock) {
  auto uuid = book->meta("ledger_uuid");
  if (!uuid) return fail(std::move(uuid).error());
  if (!*uuid) return fail(Code::invalid_input, "the ledger has no uuid");
  return std::unique_ptr<LedgerStore>(new Ledger(std::move(book), clock, **uuid));
}

template <class Body>
auto Ledger::transact(bool writing, Body body) -> decltype(body(std::int64_t{})) {
  if (auto begun = book_->begin(writing); !begun) return fail(begun.error());
  const auto undone = [&](Error error) {
    book_->rollback();
    return fail(std::move(error));
  };
  auto last = last_time();
  if (!last) return undone(std::move(last).error());
  const std::int64_t now = std::max(clock_.unix_seconds(), *last);
  auto result = body(now);
  if (!result) return undone(result.error());
  if (writing && now > *last) {
    if (auto set = book_->set_meta("last_time", std::to_string(now)); !set) return undone(set.error());
  }
  if (auto committed = book_->commit(); !committed) return undone(committed.error());
  return result;
}

Result<std::int64_t> Ledger::last_time() {
  auto text = book_->meta("last_time");
  if (!text) return fail(std::move(text).error());
  std::int64_t value = 0;
  if (*text) std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), value);
  return value;
}

Status Ledger::guard_clock(std::int64_t last) const {
  const std::int64_t now = clock_.unix_seconds();
  if (now >= last - kClockToleranceSeconds) return {};
  return fail(Code::denied,
              fmt::format("this machine's clock says {}, the ledger has already seen {}", iso8601(now), iso8601(last)),
              "set the clock right: a clock turned back could revive an expired token");
}

Status Ledger::check_clock() {
  return transact(false, [&](std::int64_t) -> Status {
    auto last = last_time();
    if (!last) return fail(std::move(last).error());
    return guard_clock(*last);
  });
}

Status Ledger::post(const std::string& jti, const std::string& run_id, const Posting& posting, std::int64_t now) {
  auto last = book_->last_entry();
  if (!last) return fail(std::move(last).error());
  JournalEntry entry{*last ? (*last)->sequence + 1 : 1, now,    posting.operation, jti, run_id,
                     posting.from,                      posting.to, posting.amount, posting.note, {}};
  entry.hash = journal_hash(*last ? (*last)->hash : journal_genesis(urn()), entry);
  return book_->append(entry);
}

Status Ledger::write(const Change& change, bool new_run, std::int64_t now) {
  if (auto s = book_->put_account(change.account); !s) return s;
  if (auto s = new_run ? book_->add_run(change.run) : book_->put_run(change.run); !s) return s;
  for (const Posting& posting : change.postings) {
    if (auto s = post(change.run.jti, change.run.run_id, posting, now); !s) return s;
  }
  return {};
}

Result<std::optional<std::string>> Ledger::why_revoked(const std::string& jti, const std::string& kid,
                                                       const std::string& issuer) {
  for (const std::string& kind : {std::string("jti"), "jti of " + issuer}) {
    auto why = book_->revoked(kind, jti);
    if (!why || *why) return why;
  }
  auto why = book_->revoked("kid of " + issuer, kid);
  if (why && *why) return std::optional<std::string>("its signing key, by " + **why);
  return why;
}

Result<Balance> Ledger::open_account(const Grant& grant, std::int64_t now) {
  auto account = book_->account(grant.jti);
  if (!account) return fail(std::move(account).error());
  if (*account) {
    if (auto same = same_grant((*account)->grant, grant); !same) return fail(same.error());
    return std::move(**account);
  }
  Balance fresh;
  fresh.grant = grant;
  if (auto s = book_->add_account(fresh); !s) return fail(s.error());
  const Posting opening{"grant", "issuer", "free", grant.gpu_seconds,
                        fmt::format("team {}, {} at once", grant.team, grant.gpus)};
  if (auto s = post(grant.jti, "", opening, now); !s) return fail(s.error());
  return fresh;
}

Status Ledger::enroll(const Grant& grant) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto account = open_account(grant, now);
    if (!account) return fail(std::move(account).error());
    return {};
  });
}

Result<Hold> Ledger::reserve(const ReserveRequest& request) {
  return transact(true, [&](std::int64_t now) -> Result<Hold> {
    auto known = book_->run(request.run_id);
    if (!known) return fail(std::move(known).error());
    if (*known) {
      if (auto same = same_request(**known, request); !same) return fail(same.error());
      return hold_of(**known, true);
    }
    auto last = last_time();
    if (!last) return fail(std::move(last).error());
    if (auto ok = guard_clock(*last); !ok) return fail(ok.error());
    auto account = open_account(request.grant, now);
    if (!account) return fail(std::move(account).error());
    auto why = why_revoked(request.grant.jti, request.kid, request.grant.issuer);
    if (!why) return fail(std::move(why).error());
    account->revoked = why->value_or("");
    auto change = reserved(std::move(*account), request, now);
    if (!change) return fail(std::move(change).error());
    if (auto s = write(*change, true, now); !s) return fail(s.error());
    return hold_of(change->run, false);
  });
}

Result<Change> Ledger::apply(const std::string& run_id, std::int64_t now,
                             const std::function<Result<Change>(Balance, RunRecord)>& rule) {
  auto run = book_->run(run_id);
  if (!run) return fail(std::move(run).error());
  if (!*run) return no_run(run_id);
  auto account = book_->account((*run)->jti);
  if (!account) return fail(std::move(account).error());
  if (!*account) return fail(Code::invalid_input, fmt::format("the ledger lacks the account of run {}", run_id));
  auto change = rule(std::move(**account), std::move(**run));
  if (!change) return change;
  if (auto s = write(*change, false, now); !s) return fail(s.error());
  return change;
}

Status Ledger::start(const std::string& run_id, int epoch, const Owner& owner) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return started(std::move(account), std::move(run), epoch, owner, now);
    });
    if (!change) return fail(std::move(change).error());
    return {};
  });
}

Status Ledger::renew(const std::string& run_id, int epoch, std::int64_t gpu_seconds) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return renewed(std::move(account), std::move(run), epoch, gpu_seconds, now);
    });
    if (!change) return fail(std::move(change).error());
    return {};
  });
}

Result<std::int64_t> Ledger::settle(const std::string& run_id, int epoch, std::int64_t gpu_seconds,
                                    const std::string& exit_class) {
  return transact(true, [&](std::int64_t now) -> Result<std::int64_t> {
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return settled(std::move(account), std::move(run), epoch, gpu_seconds, exit_class, now);
    });
    if (!change) return fail(std::move(change).error());
    return change->run.charged;
  });
}

Status Ledger::release(const std::string& run_id) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return released(std::move(account), std::move(run), now);
    });
    if (!change) return fail(std::move(change).error());
    return {};
  });
}

Result<int> Ledger::takeover(const std::string& run_id, const Owner& owner, const Witness& witness) {
  return transact(true, [&](std::int64_t now) -> Result<int> {
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return taken_over(std::move(account), std::move(run), owner, witness, now);
    });
    if (!change) return fail(std::move(change).error());
    return change->run.epoch;
  });
}

Status Ledger::refund(const std::string& refund_id, const std::string& run_id, std::int64_t gpu_seconds,
                      const std::string& reason) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto known = book_->refund(refund_id);
    if (!known) return fail(std::move(known).error());
    if (*known) {
      if ((*known)->run_id == run_id && (*known)->gpu_seconds == gpu_seconds) return {};
      return fail(Code::denied, fmt::format("refund '{}' was made already, of {} GPU-seconds to run {}",
                                            printable(refund_id), (*known)->gpu_seconds, (*known)->run_id));
    }
    auto change = apply(run_id, now, [&](Balance account, RunRecord run) {
      return refunded(std::move(account), std::move(run), gpu_seconds, reason);
    });
    if (!change) return fail(std::move(change).error());
    return book_->add_refund({refund_id, run_id, reason, gpu_seconds});
  });
}

Result<std::vector<RunRecord>> Ledger::reap(const Witness& witness) {
  return transact(true, [&](std::int64_t now) -> Result<std::vector<RunRecord>> {
    auto open = book_->runs(true);
    if (!open) return open;
    std::vector<RunRecord> touched;
    for (RunRecord& run : *open) {
      auto account = book_->account(run.jti);
      if (!account) return fail(std::move(account).error());
      if (!*account) return fail(Code::invalid_input, fmt::format("the ledger lacks the account of run {}", run.run_id));
      const auto change = reaped(std::move(**account), std::move(run), witness, now);
      if (!change) continue;
      if (auto s = write(*change, false, now); !s) return fail(s.error());
      touched.push_back(change->run);
    }
    return touched;
  });
}

Status Ledger::revoke(const std::string& jti, const std::string& reason) {
  return transact(true, [&](std::int64_t now) -> Status {
    auto known = book_->revoked("jti", jti);
    if (!known) return fail(std::move(known).error());
    if (*known) return {};
    if (auto s = book_->add_revoked("jti", jti, reason); !s) return s;
    return post(jti, "", {"revoke", "free", "free", 0, reason}, now);
  });
}

Status Ledger::accept_revocations(const std::string& issuer, std::int64_t sequence,
                                  const std::vector<std::string>& jtis, const std::vector<std::string>& kids) {
  const std::string name = "revocation_sequence:" + issuer;
  const auto seen = [&]() -> Result<std::int64_t> {
    auto text = book_->meta(name);
    if (!text) return fail(std::move(text).error());
    std::int64_t highest = -1;
    if (*text) std::from_chars((*text)->data(), (*text)->data() + (*text)->size(), highest);
    return highest;
  };
  // Nearly always the list is the one that was seen last: no need to write then.
  const auto before = transact(false, [&](std::int64_t) { return seen(); });
  if (before && *before == sequence) return {};
  return transact(true, [&](std::int64_t now) -> Status {
    const auto highest = seen();
    if (!highest) return fail(highest.error());
    if (sequence < *highest) {
      return fail(Code::denied, fmt::format("the revocation list of {} has number {}, the ledger has seen {}", issuer,
                                            sequence, *highest),
                  "an older list was put back; fetch the issuer's latest");
    }
    const std::string reason = fmt::format("list {} of {}", sequence, issuer);
    for (const auto& [kind, ids] : {std::pair("jti of " + issuer, &jtis), std::pair("kid of " + issuer, &kids)}) {
      for (const std::string& id : *ids) {
        auto known = book_->revoked(kind, id);
        if (!known) return fail(std::move(known).error());
        if (*known) continue;
        if (auto s = book_->add_revoked(kind, id, reason); !s) return s;
      }
    }
    const Posting note{"revocations", "free", "free", 0,
                       fmt::format("{}: {} grants, {} keys", reason, jtis.size(), kids.size())};
    if (auto s = post("", "", note, now); !s) return s;
    return book_->set_meta(name, std::to_string(sequence));
  });
}

Result<std::optional<std::string>> Ledger::revoked(const std::string& jti, const std::string& kid,
                                                   const std::string& issuer) {
  return transact(false, [&](std::int64_t) { return why_revoked(jti, kid, issuer); });
}

Result<std::optional<Balance>> Ledger::balance(const std::string& jti) {
  return transact(false, [&](std::int64_t) -> Result<std::optional<Balance>> {
    auto account = book_->account(jti);
    if (!account || !*account) return account;
    auto why = why_revoked(jti, "", (*account)->grant.issuer);
    if (!why) return fail(std::move(why).error());
    (*account)->revoked = why->value_or("");
    return account;
  });
}

Result<std::vector<Balance>> Ledger::balances() {
  return transact(false, [&](std::int64_t) -> Result<std::vector<Balance>> {
    auto accounts = book_->accounts();
    if (!accounts) return accounts;
    for (Balance& account : *accounts) {
      auto why = why_revoked(account.grant.jti, "", account.grant.issuer);
      if (!why) return fail(std::move(why).error());
      account.revoked = why->value_or("");
    }
    return accounts;
  });
}

Result<std::vector<RunRecord>> Ledger::runs() {
  return transact(false, [&](std::int64_t) { return book_->runs(false); });
}

Result<std::vector<JournalEntry>> Ledger::journal() {
  return transact(false, [&](std::int64_t) { return book_->entries(); });
}

Result<JournalCheck> Ledger::check_journal() {
  return transact(false, [&](std::int64_t) -> Result<JournalCheck> {
    auto entries = book_->entries();
    if (!entries) return fail(std::move(entries).error());
    auto accounts = book_->accounts();
    if (!accounts) return fail(std::move(accounts).error());
    return check_chain(*entries, *accounts, journal_genesis(urn()));
  });
}

}  // namespace topolaunch::quota
