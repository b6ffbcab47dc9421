import type { Kysely } from 'kysely';
import type { AccountRow, BudgetResetRow, ReservationRow, Schema, UsageRow } from './schema.ts';

/** Where the gateway remembers: one database, opened and of the right version. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** For everything but the ledger's own writing. */
  readonly db: Kysely<Schema>;
  readonly ledger: LedgerStore;
  close(): Promise<void>;
}

/** The money's way into the database: whole batches, so that many requests share one transaction. */
export interface LedgerStore {
  /** How many batches may be under way at once. */
  readonly parallel: number;
  /**
   * Reads rows and keeps others from changing them, lets `decide` say what becomes of them, writes that, and commits; durable
   * when it resolves, and nothing has happened when it rejects, unless the connection broke in the very moment of the commit.
   */
  run(wanted: WantedRows, decide: (rows: LedgerRows) => LedgerChanges): Promise<void>;
}

export interface WantedRows {
  readonly accounts: Iterable<string>;
  readonly reservations: Iterable<string>;
}

export interface LedgerRows {
  readonly revision: number;
  /** Those that exist, as the following ones. */
  readonly accounts: readonly AccountRow[];
  readonly reservations: readonly ReservationRow[];
  /** Which of the wanted reservations have their row of usage already. */
  readonly billed: readonly string[];
}

export interface LedgerChanges {
  readonly accounts: readonly AccountRow[];
  readonly opened: readonly ReservationRow[];
  readonly closed: readonly string[];
  readonly usage: readonly UsageRow[];
  readonly resets: readonly BudgetResetRow[];
}
