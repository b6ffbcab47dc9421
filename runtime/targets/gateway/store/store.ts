import type { Kysely } from 'kysely';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { AlertRow } from './record-schema.ts';
import type { AccountRow, BudgetResetRow, ReservationRow, Schema, UsageRow } from './schema.ts';

/** An open database with the current schema. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** For everything except ledger writes. */
  readonly db: Kysely<Schema>;
  readonly ledger: LedgerStore;
  readonly audit: AuditTrail;
  close(): Promise<void>;
}

/** Ledger writes, in batches, so that many requests share one transaction. */
export interface LedgerStore {
  /** Maximum number of concurrent batches. */
  readonly parallel: number;
  /**
   * Locks and reads rows, writes the changes returned by `decide`, and commits. The changes are durable when
   * it resolves. If it rejects, nothing has changed, unless the connection broke during the commit. `decide`
   * can be called again with newer rows.
   */
  run(ids: RowIds, decide: (rows: LedgerRows) => LedgerChanges): Promise<void>;
  /**
   * Same as `run`, but synchronous, if nothing needs to be written. Otherwise, returns false without changing
   * anything.
   */
  keep(ids: RowIds, decide: (rows: LedgerRows) => LedgerChanges): boolean;
  /**
   * Allows the store to keep this process's reservations (the process must be in `gateway_processes`) in
   * memory only, while no other process uses the database. If the process is killed, they are released.
   */
  join(processId: string): void;
  /**
   * Stores what requests in flight have used so far. From then on, their reservations are in the database, so
   * that another process finds them if this one is killed. Reservations closed in the meantime are ignored.
   */
  note(notes: readonly InFlightNote[]): Promise<void>;
  /** Returns existing accounts, including reservations that only exist in memory. Locks nothing. */
  accounts(ids: readonly string[]): Promise<readonly AccountRow[]>;
  /** Writes reservations that only exist in memory, before something else reads the database. */
  sync(): Promise<void>;
}

/** What a reservation has used so far, as JSON. */
export type InFlightNote = Pick<ReservationRow, 'id'> & { readonly interrupted: string };

export interface RowIds {
  readonly accounts: Iterable<string>;
  readonly reservations: Iterable<string>;
}

export interface LedgerRows {
  readonly revision: number;
  /** Accounts that exist. */
  readonly accounts: readonly AccountRow[];
  readonly reservations: readonly ReservationRow[];
  /** IDs of requested reservations whose usage is already recorded. */
  readonly billed: readonly string[];
}

export interface LedgerChanges {
  readonly accounts: readonly AccountRow[];
  readonly opened: readonly ReservationRow[];
  readonly closed: readonly string[];
  readonly usage: readonly UsageRow[];
  readonly resets: readonly BudgetResetRow[];
  /** Alerts to raise. Those already in the database are ignored. */
  readonly alerts: readonly AlertRow[];
}
