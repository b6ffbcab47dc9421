import type { DatabaseSync } from 'node:sqlite';
import type { LedgerChanges, LedgerRows, LedgerStore, WantedRows } from '../store.ts';
import { isContention } from '../database-error.ts';
import { machineName } from '../machine.ts';
import type { FilePlace } from './file-place.ts';
import { type HeldReservations, holdReservations } from './held-reservations.ts';
import { claimLedger } from './ledger-owner.ts';
import { isNothing, keepHeld, type Known, type Plan, readRows } from './ledger-rows.ts';
import { type LedgerStatements, prepareLedger } from './ledger-statements.ts';
import type { TransactionGate } from './transaction-gate.ts';

export interface SqliteLedger extends LedgerStore {
  readonly close: () => void;
}

type Decide = (rows: LedgerRows) => LedgerChanges;

/** How long another process that has come may have to wait. */
const LOOK_EVERY_MS = 20;
/** After so many looks at which nothing had happened, the ledger is left, and there is nothing more to look after. */
const IDLE_LOOKS = 50;
const MOST_KNOWN = 10_000;
const NO_ROWS: WantedRows = { accounts: [], reservations: [] };
const NO_CHANGES: LedgerChanges = { accounts: [], opened: [], closed: [], usage: [], resets: [] };

/**
 * Every batch runs within one turn of the event loop. As long as no other process is there, reservations stay in memory, and
 * only what was used is written; docs/decisions/0018 has the reasons and the rules.
 */
export function sqliteLedger(database: DatabaseSync, gate: TransactionGate, place: FilePlace): SqliteLedger {
  const machine = machineName();
  let statements: LedgerStatements | undefined;
  let processId: string | undefined;
  let held = holdReservations();
  /** While the ledger is this process's own. */
  let known: Known | undefined;
  let looking: NodeJS.Timeout | undefined;
  let idleLooks = 0;
  /** At the last look. */
  let isKept = true;
  // Not before the tables are there.
  const prepared = (): LedgerStatements => (statements ??= prepareLedger(database));
  const isCurrent = ({ version }: Known): boolean => prepared().version() === version;
  /** Whether what is known was current in this turn of the event loop; undefined if nobody has looked yet. */
  let wasCurrent: boolean | undefined;
  /** Requests that come in one turn came at once with whatever others have changed in it, and may be first. */
  const isCurrentThisTurn = (owned: Known): boolean => {
    if (wasCurrent === undefined) setImmediate(() => (wasCurrent = undefined));
    return (wasCurrent ??= isCurrent(owned));
  };

  const begin = (owned: Known | undefined): void => {
    known = owned;
    wasCurrent = undefined;
    if (owned === undefined) {
      held = holdReservations();
      clearInterval(looking);
      looking = undefined;
    } else looking ??= setInterval(look, LOOK_EVERY_MS).unref();
  };

  const planFor = (owned: Known, wanted: WantedRows, decide: Decide): Plan => {
    if (owned.accounts.size > MOST_KNOWN) owned.accounts.clear();
    return keepHeld(decide(readRows(prepared(), owned, held, wanted)), owned, held);
  };

  /** By what is known by heart. False if it turns out to be old. */
  const runKnown = (owned: Known, wanted: WantedRows, decide: Decide): boolean => {
    const sql = prepared();
    const { changes, undo } = planFor(owned, wanted, decide);
    const holds = undoing(undo, () => {
      if (isNothing(changes)) return isCurrent(owned);
      return sql.transaction(() => {
        if (!isCurrent(owned)) return false;
        sql.write(changes);
        return true;
      });
    });
    if (holds) learn(owned, changes);
    else undo();
    return holds;
  };

  /** By what the database says, and with the ledger taken or left as it is to be. */
  const runAnew = (wanted: WantedRows, decide: Decide): void => {
    const sql = prepared();
    let plan: Plan | undefined;
    const owned = undoing(
      () => plan?.undo(),
      () =>
        sql.transaction(() => {
          const { revision, owns } = claimLedger(sql, processId, machine);
          const read: Known = { version: sql.version(), revision, accounts: new Map() };
          if (owns) {
            plan = planFor(read, wanted, decide);
            sql.write(plan.changes);
            return read;
          }
          writeHeld(sql, held);
          sql.write(decide(readRows(sql, read, holdReservations(), wanted)));
          return undefined;
        }),
    );
    if (owned && plan) learn(owned, plan.changes);
    begin(owned);
  };

  const runNow = (wanted: WantedRows, decide: Decide): void => {
    if (!(known && runKnown(known, wanted, decide))) runAnew(wanted, decide);
  };

  const leave = (): void => {
    if (!known) return;
    place.require();
    const sql = prepared();
    sql.transaction(() => {
      writeHeld(sql, held);
      if (sql.meta().ledger_owner === processId) sql.own(null);
    });
    begin(undefined);
  };

  const look = (): void => {
    isKept = place.isKept();
    if (gate.busy()) return;
    idleLooks += 1;
    try {
      if (idleLooks >= IDLE_LOOKS) leave();
      else if (known && !isCurrent(known)) runAnew(NO_ROWS, () => NO_CHANGES);
    } catch {
      // The next look tries again.
    }
  };

  return {
    parallel: 1,
    run: async (wanted, decide) => {
      await untilFree(gate);
      place.require();
      idleLooks = 0;
      runNow(wanted, decide);
    },
    keep(wanted, decide) {
      if (!known || !isKept) return false;
      idleLooks = 0;
      const { changes, undo } = planFor(known, wanted, decide);
      if (isNothing(changes) && isCurrentThisTurn(known)) return true;
      undo();
      return false;
    },
    join(id) {
      processId = id;
    },
    accounts: (ids) => {
      const sql = prepared();
      const rows = ids.map(sql.account).filter((row) => row !== undefined);
      return Promise.resolve(rows.map(held.added));
    },
    sync: async () => {
      await untilFree(gate);
      try {
        leave();
      } catch (error) {
        // Someone else writes just now; what is read may be older by the moment that takes.
        if (!isContention(error)) throw error;
      }
    },
    close() {
      clearInterval(looking);
      database.close();
    },
  };
}

async function untilFree(gate: TransactionGate): Promise<void> {
  for (let busy = gate.busy(); busy; busy = gate.busy()) await busy;
}

function undoing<Result>(undo: () => void, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    undo();
    throw error;
  }
}

function learn({ accounts }: Known, changes: LedgerChanges): void {
  for (const account of changes.accounts) accounts.set(account.id, account);
}

function writeHeld(sql: LedgerStatements, held: HeldReservations): void {
  for (const [accountId, { reserved, running }] of held.sums()) sql.hold(accountId, reserved, running);
  sql.write({ ...NO_CHANGES, opened: [...held.all()] });
}
