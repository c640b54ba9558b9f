// SPDX-License-Identifier: Apache-2.0
//
// The tables of the SQLite ledger. A change to them is a new kSchemaVersion and a migration.
#pragma once

namespace topolaunch::quota {

inline constexpr long kSchemaVersion = 1;

inline constexpr const char* kSchema = R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  jti      TEXT PRIMARY KEY,
  claims   TEXT NOT NULL,
  gpus     INTEGER NOT NULL CHECK (gpus >= 1),
  budget   INTEGER NOT NULL CHECK (budget >= 0),
  settled  INTEGER NOT NULL CHECK (settled >= 0),
  held     INTEGER NOT NULL CHECK (held >= 0),
  refunded INTEGER NOT NULL CHECK (refunded >= 0 AND refunded <= settled),
  CHECK (settled - refunded + held <= budget)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
  run_id TEXT PRIMARY KEY,
  jti    TEXT NOT NULL REFERENCES account (jti),
  state  TEXT NOT NULL CHECK (state IN ('RESERVED', 'RUNNING', 'LOST', 'SETTLED', 'SETTLED_ESTIMATED', 'RELEASED')),
  epoch  INTEGER NOT NULL CHECK (epoch >= 1),
  gpus   INTEGER NOT NULL CHECK (gpus >= 0),
  held   INTEGER NOT NULL CHECK (held >= 0),
  used   INTEGER NOT NULL CHECK (used >= 0),
  charged  INTEGER NOT NULL CHECK (charged >= 0),
  refunded INTEGER NOT NULL CHECK (refunded >= 0 AND refunded <= charged),
  wall_seconds INTEGER NOT NULL,
  reserved_at  INTEGER NOT NULL, started_at  INTEGER NOT NULL, renewed_at INTEGER NOT NULL,
  ended_at     INTEGER NOT NULL, lease_until INTEGER NOT NULL, hold_until INTEGER NOT NULL,
  pid INTEGER NOT NULL, pid_start INTEGER NOT NULL,
  team TEXT NOT NULL, project TEXT NOT NULL, subject TEXT NOT NULL, user TEXT NOT NULL, host TEXT NOT NULL,
  boot_id TEXT NOT NULL, pid_namespace TEXT NOT NULL, gpu_type TEXT NOT NULL, unit TEXT NOT NULL,
  command TEXT NOT NULL, exit_class TEXT NOT NULL, wall_why TEXT NOT NULL,
  CHECK (held = 0 OR state IN ('RESERVED', 'RUNNING', 'LOST'))
) STRICT, WITHOUT ROWID;
CREATE INDEX run_open ON run (jti) WHERE state IN ('RESERVED', 'RUNNING', 'LOST');

CREATE TABLE journal (
  sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, operation TEXT NOT NULL, jti TEXT NOT NULL,
  run_id TEXT NOT NULL, from_account TEXT NOT NULL, to_account TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0), note TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER journal_is_not_changed BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_not_deleted BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TABLE refund (
  refund_id TEXT PRIMARY KEY, run_id TEXT NOT NULL REFERENCES run (run_id),
  gpu_seconds INTEGER NOT NULL CHECK (gpu_seconds > 0), reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE revoked (
  kind TEXT NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace topolaunch::quota
