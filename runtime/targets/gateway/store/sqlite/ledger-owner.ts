import { ledgerLockedError } from '../database-error.ts';
import { isGone } from '../machine.ts';
import type { ProcessRow } from '../schema.ts';
import type { LedgerStatements } from './ledger-statements.ts';

export interface LedgerClaim {
  readonly revision: number;
  /** Whether this process owns the ledger after the transaction. */
  readonly owns: boolean;
}

/** A process that has not reported for this long is dead. Processes report three times as often. */
const DEAD_AFTER_MS = 30_000;

/**
 * Takes ownership of the ledger for a process that is the database's only user, and releases it otherwise.
 * Throws a retryable error while another live process owns it; that process releases it soon.
 */
export function claimLedger(
  sql: LedgerStatements,
  processId: string | undefined,
  machine: string,
): LedgerClaim {
  const { revision, ledger_owner: owner } = sql.meta();
  const processes = sql.processes();
  const other = owner === processId ? undefined : processes.find(({ id }) => id === owner);
  if (other && !isDead(other, machine)) throw ledgerLockedError();
  const owns = processes.length === 1 && processes[0]?.id === processId;
  const next = owns && processId !== undefined ? processId : null;
  if (owner !== next) sql.own(next);
  return { revision, owns };
}

const isDead = (row: ProcessRow, here: string): boolean =>
  row.seen_at < Date.now() - DEAD_AFTER_MS || (row.machine === here && isGone(row));
