import { accountsOf } from '../../store/account-ids.ts';
import { LASTING } from '../../store/lasting.ts';
import type { BatchRows } from './batch-rows.ts';
import type { HeldAmount, Reservation } from './ledger.ts';
import { correctTokens } from './minute-usage.ts';

/**
 * Makes a reservation outlive its process, under another id: it holds its amount until it is closed, and no longer counts as a running
 * request, because what it pays for can take a day. Repeated calls have no further effect.
 */
export function keepReservation(rows: BatchRows, { id }: Pick<Reservation, 'id'>, held: HeldAmount): void {
  const row = rows.reservation(id);
  if (!row || rows.reservation(held.id)) return;
  for (const account of accountsOf(row).map((accountId) => rows.account(accountId))) {
    const idle = account && { ...account, running: account.running - 1 };
    if (idle) rows.put(correctTokens(idle, row.created_at, -row.tokens));
  }
  rows.close(id);
  rows.open({ ...row, id: held.id, process_id: LASTING, tokens: 0, interrupted: null });
}
