import type { LedgerChanges, LedgerRows } from '../../store/store.ts';
import type { AlertRow } from '../../store/record-schema.ts';
import type { AccountRow, BudgetResetRow, ReservationRow, UsageRow } from '../../store/schema.ts';

/** The rows of a batch with their changes. Operations are applied one after the other, and each sees the changes of those before. */
export interface BatchRows {
  readonly revision: number;
  readonly account: (id: string) => AccountRow | undefined;
  readonly put: (account: AccountRow) => void;
  readonly reservation: (id: string) => ReservationRow | undefined;
  readonly open: (reservation: ReservationRow) => void;
  readonly close: (id: string) => void;
  readonly isBilled: (id: string) => boolean;
  readonly bill: (usage: UsageRow) => void;
  readonly log: (reset: BudgetResetRow) => void;
  readonly raise: (alert: AlertRow) => void;
  readonly changes: () => LedgerChanges;
}

export function createBatchRows(rows: LedgerRows): BatchRows {
  const accounts = byId(rows.accounts);
  const reservations = byId(rows.reservations);
  const billed = new Set(rows.billed);
  const changed = new Map<string, AccountRow>();
  const opened: ReservationRow[] = [];
  const closed: string[] = [];
  const usage: UsageRow[] = [];
  const resets: BudgetResetRow[] = [];
  const alerts = new Map<string, AlertRow>();
  return {
    revision: rows.revision,
    account: (id) => changed.get(id) ?? accounts.get(id),
    put(account) {
      if (accounts.get(account.id) !== account) changed.set(account.id, account);
    },
    reservation: (id) => reservations.get(id),
    open(reservation) {
      reservations.set(reservation.id, reservation);
      opened.push(reservation);
    },
    close(id) {
      reservations.delete(id);
      closed.push(id);
    },
    isBilled: (id) => billed.has(id),
    bill(row) {
      billed.add(row.id);
      usage.push(row);
    },
    log: (reset) => void resets.push(reset),
    raise: (alert) => void alerts.set(alert.id, alert),
    changes: () => ({
      accounts: [...changed.values()],
      opened,
      closed,
      usage,
      resets,
      alerts: [...alerts.values()],
    }),
  };
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): Map<string, Row> {
  const map = new Map<string, Row>();
  for (const row of rows) map.set(row.id, row);
  return map;
}
