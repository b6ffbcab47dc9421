import { lockedByOther } from '../database-error.ts';
import { isGone } from '../machine.ts';
import type { ProcessRow } from '../schema.ts';
import type { LedgerStatements } from './ledger-statements.ts';

export interface LedgerClaim {
  readonly revision: number;
  /** Whether the ledger is this process's own from the end of the transaction on. */
  readonly owns: boolean;
}

/** As of other processes: three times as long as between two signs of life. */
const DEAD_AFTER_MS = 30_000;

/**
 * Takes the ledger for a process that is alone with the database, and leaves it as soon as it is not. Throws what makes callers
 * try again while another one has it, which will notice.
 */
export function claimLedger(
  sql: LedgerStatements,
  processId: string | undefined,
  machine: string,
): LedgerClaim {
  const { revision, ledger_owner: owner } = sql.meta();
  const processes = sql.processes();
  const other = owner === processId ? undefined : processes.find(({ id }) => id === owner);
  if (other && !isDead(other, machine)) throw lockedByOther();
  const owns = processes.length === 1 && processes[0]?.id === processId;
  const next = owns && processId !== undefined ? processId : null;
  if (owner !== next) sql.own(next);
  return { revision, owns };
}

const isDead = (row: ProcessRow, here: string): boolean =>
  row.seen_at < Date.now() - DEAD_AFTER_MS || (row.machine === here && isGone(row));
