import type { Kysely } from 'kysely';
import type { BudgetRow, Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import { notFound } from './checks.ts';

/** The budget to assign; undefined for none. Throws a NotFoundError. */
export async function budgetRowOf(
  trx: Kysely<Schema>,
  budgetId: string | null | undefined,
): Promise<BudgetRow | undefined> {
  if (budgetId === undefined || budgetId === null) return undefined;
  const row = isStorable(budgetId)
    ? await trx.selectFrom('gateway_budgets').selectAll().where('budget_id', '=', budgetId).executeTakeFirst()
    : undefined;
  if (!row) throw notFound(`Budget with id '${budgetId}' not found`, 'budget_not_found');
  return row;
}
