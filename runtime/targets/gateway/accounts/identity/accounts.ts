import type { Kysely } from 'kysely';
import type { AccountRow, Schema } from '../../store/schema.ts';

/** The account of a new user or key. One that is there already, of a user that was deleted, starts from nothing again. */
export async function openAccount(db: Kysely<Schema>, id: string, window: BudgetWindow): Promise<void> {
  const fresh = { spent_nano: 0n, minute: null, ...window };
  await db
    .insertInto('gateway_accounts')
    // What is under way for it stays counted.
    .values({ id, reserved_nano: 0n, running: 0, ...fresh })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fresh))
    .execute();
}

export type BudgetWindow = Pick<AccountRow, 'window_started_at' | 'window_ends_at'>;

/** The window that begins when a budget is given to someone. */
export function startWindow(
  budget: { readonly budget_duration_sec: number | null } | undefined | null,
  now: number,
): BudgetWindow {
  if (!budget) return { window_started_at: null, window_ends_at: null };
  const seconds = budget.budget_duration_sec;
  return { window_started_at: now, window_ends_at: seconds === null ? null : now + seconds * 1000 };
}

export async function moveWindow(db: Kysely<Schema>, id: string, window: BudgetWindow): Promise<void> {
  await db.updateTable('gateway_accounts').set(window).where('id', '=', id).execute();
}

/** What counts as spent now: a window that is over is only ended by the next request, but nothing of it counts any more. */
export function spentNow(row: Pick<AccountRow, 'spent_nano' | 'window_ends_at'>, now: number): bigint {
  return row.window_ends_at !== null && row.window_ends_at <= now ? 0n : row.spent_nano;
}
