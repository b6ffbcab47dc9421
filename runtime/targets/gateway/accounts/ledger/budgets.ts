import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isTimeZone, TIME_ZONE_PROBLEM } from '#core/time/calendar.ts';
import { userAccount } from '../../store/account-ids.ts';
import { calendarOf } from '../identity/calendar-columns.ts';
import { type BudgetChanges, BUDGET_FIELDS } from '../fields/budgets.ts';
import { cellsOf, emptyCells, valuesOf } from '../../store/field-columns.ts';
import { checkFields, notFound } from '../identity/checks.ts';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { BudgetRow, Schema } from '../../store/schema.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { Budget, Budgets } from './ledger.ts';

const CREATED = { by: 'created_at', isDescending: false } as const;
const ORDER = {
  values: {
    created_at: sql.ref('created_at'),
    name: textOrder('name'),
    max_budget: sql.ref('max_budget_nano'),
  },
  id: 'budget_id',
};

/** Budgets are shared definitions: each user they are assigned to has a separate window and separate spending. */
export function createBudgets({ db }: Store, revision: FollowedRevision, clock: Clock): Budgets {
  return {
    create: async (budget) =>
      await revision.change(async (trx, note) => {
        checkFields(BUDGET_FIELDS, budget);
        const now = Math.floor(clock.now());
        checkWindow(budgetColumns(budget));
        const row = {
          budget_id: randomUUID(),
          ...emptyCells(BUDGET_FIELDS),
          created_at: now,
          updated_at: now,
          ...budgetColumns(budget),
        };
        await trx.insertInto('gateway_budgets').values(row).execute();
        const after = await get(trx, row.budget_id);
        note('budget.create', row.budget_id, { after });
        return after;
      }),
    list: async ({ skip, limit }, { search, order = CREATED } = {}) => {
      const found = db
        .selectFrom('gateway_budgets')
        .selectAll()
        .where(containsInAnyCase(['budget_id', 'name'], search));
      const rows = await inOrder(found, order, ORDER).limit(limit).offset(skip).execute();
      return rows.map(budgetOf);
    },
    get: async (budgetId) => await get(db, budgetId),
    change: async (budgetId, changes) =>
      await revision.change(async (trx, note) => {
        checkFields(BUDGET_FIELDS, changes);
        const row = await rowOf(trx, budgetId);
        checkWindow({ ...row, ...budgetColumns(changes) });
        await trx
          .updateTable('gateway_budgets')
          .set({ ...budgetColumns(changes), updated_at: Math.floor(clock.now()) })
          .where('budget_id', '=', budgetId)
          .execute();
        const after = await get(trx, budgetId);
        note('budget.update', budgetId, { before: budgetOf(row), after });
        return after;
      }),
    delete: async (budgetId) =>
      await revision.change(async (trx, note) => {
        note('budget.delete', budgetId, { before: await get(trx, budgetId) });
        await requireUnused(trx, budgetId);
        await trx.deleteFrom('gateway_budgets').where('budget_id', '=', budgetId).execute();
      }),
    resets: async ({ skip, limit }, userId) => {
      const prefix = userAccount('');
      const all = db
        .selectFrom('gateway_budget_resets')
        .selectAll()
        .where('account_id', 'like', `${prefix}%`)
        .orderBy('reset_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(skip);
      const of = userId === undefined ? all : all.where('account_id', '=', storableText(userAccount(userId)));
      return (await of.execute()).map((row) => ({
        id: row.id,
        userId: row.account_id.slice(prefix.length),
        previousSpend: row.spent_nano,
        resetAt: row.reset_at,
        nextResetAt: row.next_reset_at,
      }));
    },
  };
}

/** Throws a ConflictError if the budget is assigned, because its holders would have no limit without it. */
async function requireUnused(trx: Kysely<Schema>, budgetId: string): Promise<void> {
  const { users } = await trx
    .selectFrom('gateway_users')
    .select((row) => row.fn.countAll<number>().as('users'))
    .where('budget_id', '=', budgetId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const { groups } = await trx
    .selectFrom('gateway_groups')
    .select((row) => row.fn.countAll<number>().as('groups'))
    .where('budget_id', '=', budgetId)
    .executeTakeFirstOrThrow();
  const tagged = await trx
    .selectFrom('gateway_tags')
    .select('tag')
    .where('budget_id', '=', budgetId)
    .executeTakeFirst();
  if (users + groups === 0 && !tagged) return;
  const [holders, plural] =
    users > 0
      ? [countText(users, 'user'), 'users']
      : groups > 0
        ? [countText(groups, 'group'), 'teams and organizations']
        : [`tag '${tagged?.tag}'`, 'tags'];
  throw new AppError(
    'ConflictError',
    `Budget with id '${budgetId}' is assigned to ${holders}; assign another budget first, because ${plural} without one have no limit`,
    { reason: 'budget_in_use' },
  );
}

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const get = async (db: Kysely<Schema>, budgetId: string): Promise<Budget> =>
  budgetOf(await rowOf(db, budgetId));

async function rowOf(db: Kysely<Schema>, budgetId: string): Promise<BudgetRow> {
  const row = isStorable(budgetId)
    ? await db.selectFrom('gateway_budgets').selectAll().where('budget_id', '=', budgetId).executeTakeFirst()
    : undefined;
  if (!row) throw notFound(`Budget with id '${budgetId}' not found`, 'budget_not_found');
  return row;
}

/** Throws an InputError for a budget with two kinds of windows, or an unknown time zone. */
function checkWindow({ budget_duration_sec: seconds, calendar, time_zone: zone }: Partial<BudgetRow>): void {
  if (typeof seconds === 'number' && typeof calendar === 'string')
    throw wrongWindow(
      'calendar',
      'calendar and budget_duration_sec are mutually exclusive. Set one of them to null.',
    );
  if (typeof zone !== 'string') return;
  if (typeof calendar !== 'string')
    throw wrongWindow('time_zone', 'time_zone requires calendar: day, week or month.');
  if (!isTimeZone(zone))
    throw wrongWindow('time_zone', `${JSON.stringify(zone.slice(0, 64))} ${TIME_ZONE_PROBLEM}`);
}

const wrongWindow = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });

function budgetOf(row: BudgetRow): Budget {
  const { timeZone: _, ...values } = valuesOf(BUDGET_FIELDS, row);
  return { ...values, calendar: calendarOf(row) };
}

/** The cells of the changed fields. A time zone without a calendar has no meaning. */
const budgetColumns = (changes: BudgetChanges): Partial<BudgetRow> =>
  cellsOf(BUDGET_FIELDS, changes.calendar === null ? { ...changes, timeZone: null } : changes);
