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
   * `decide` may be asked again, of newer rows.
   */
  run(wanted: WantedRows, decide: (rows: LedgerRows) => LedgerChanges): Promise<void>;
  /** Does the same at once if nothing has to be written for it; if it does, returns false, and nothing has happened. */
  keep(wanted: WantedRows, decide: (rows: LedgerRows) => LedgerChanges): boolean;
  /**
   * From now on reservations of this process, which is in `gateway_processes`, may be in its memory alone, as long as nobody
   * else could miss them. When the process is killed, they end with it.
   */
  join(processId: string): void;
  /** Those that exist, as they are now with all that this process holds; nothing is locked. */
  accounts(ids: readonly string[]): Promise<readonly AccountRow[]>;
  /** Brings to the database what is in memory alone, for whoever is about to read it there. */
  sync(): Promise<void>;
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
