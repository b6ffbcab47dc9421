import type { Budget, Budgets } from '../../accounts/ledger/ledger.ts';
import { everyPage } from '../../store/every-page.ts';
import { findOne } from '../store/find-one.ts';

/** The budget that a command means: by id, or by a name that no other has. */
export const findBudget = async (budgets: Budgets, text: string): Promise<Budget> =>
  findOne(text, await everyPage(budgets), {
    kind: 'budget',
    list: 'gateway budgets list',
    idOf: ({ budgetId }) => budgetId,
    namesOf: ({ name }) => [name],
  });
