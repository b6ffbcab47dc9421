import { type Kysely, type RawBuilder, sql } from 'kysely';
import { nextStart } from '#core/time/calendar.ts';
import { ACCOUNT_IN_LIMIT } from '../../store/account-ids.ts';
import type { AccountRow, BudgetRow, Schema } from '../../store/schema.ts';
import { calendarOf } from './calendar-columns.ts';
import { unusedAccount } from './unused-account.ts';

/**
 * Creates the account for a new user or key. An existing account, left by a deleted user that is created
 * again, is reset.
 */
export async function createAccount(db: Kysely<Schema>, id: string, window: BudgetWindow): Promise<void> {
  const fresh = { spent_nano: 0n, minute: null, ...window };
  await db
    .insertInto('gateway_accounts')
    // An existing account keeps its reservations, because their requests are still running.
    .values({ id, reserved_nano: 0n, running: 0, ...fresh })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(fresh))
    .execute();
  await db
    .updateTable('gateway_accounts')
    .set({ spent_nano: 0n, window_started_at: null, window_ends_at: null })
    .where(limitsOfAccount(id))
    .execute();
}

/** Selects the accounts of further limits of an account's budgets. */
const limitsOfAccount = (id: string) =>
  sql<boolean>`id like 'limit:%' and substr(id, ${sql.lit(ACCOUNT_IN_LIMIT)}) = ${id}`;

/** Deletes an account that is not created again under the same ID while requests are in flight. */
export async function deleteAccount(db: Kysely<Schema>, id: string): Promise<void> {
  await db.deleteFrom('gateway_accounts').where('id', '=', id).execute();
  await db.deleteFrom('gateway_accounts').where(limitsOfAccount(id)).execute();
}

/**
 * Creates the accounts of further limits, when they are first used. Their windows begin with the first
 * request.
 */
export async function createLimitAccounts(db: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => unusedAccount(id));
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('gateway_accounts')
      .values(rows)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  });
}

export type BudgetWindow = Pick<AccountRow, 'window_started_at' | 'window_ends_at'>;

/** The budget window that starts when a budget is assigned. */
export function startWindow(
  budget: (Pick<BudgetRow, 'budget_duration_sec'> & Partial<BudgetRow>) | undefined | null,
  now: number,
): BudgetWindow {
  if (!budget) return { window_started_at: null, window_ends_at: null };
  const { budget_duration_sec: seconds, calendar: unit = null, time_zone = null } = budget;
  const calendar = calendarOf({ calendar: unit, time_zone });
  if (calendar) return { window_started_at: now, window_ends_at: nextStart(calendar, now) };
  return { window_started_at: now, window_ends_at: seconds === null ? null : now + seconds * 1000 };
}

export async function moveWindow(db: Kysely<Schema>, id: string, window: BudgetWindow): Promise<void> {
  await db.updateTable('gateway_accounts').set(window).where('id', '=', id).execute();
}

/**
 * The amount spent in the current window. An expired window is only reset by the next request, but its amount
 * no longer counts.
 */
export function spentNow(row: Pick<AccountRow, 'spent_nano' | 'window_ends_at'>, now: number): bigint {
  return row.window_ends_at !== null && row.window_ends_at <= now ? 0n : row.spent_nano;
}

/** A user's or group's spending and current window. */
export const balanceOf = (
  row: Pick<AccountRow, 'spent_nano' | 'reserved_nano' | 'window_started_at' | 'window_ends_at'>,
  now: number,
) => ({
  spent: spentNow(row, now),
  reserved: row.reserved_nano,
  budgetStartedAt: row.window_started_at,
  nextBudgetResetAt: row.window_ends_at,
});

/** The amount spent in the current window as an SQL expression, for sorting lists. */
export const spentAt = (now: number): RawBuilder<unknown> =>
  sql`case when window_ends_at <= ${now} then 0 else spent_nano end`;
