import type { Budget, Budgets } from '../../accounts/ledger/ledger.ts';
import { listAll } from '../../store/list-all.ts';
import { findOne } from '../store/find-one.ts';

/** Finds a budget by its id, or by a name that no other budget has. */
export const findBudget = async (budgets: Budgets, text: string): Promise<Budget> =>
  findOne(text, await listAll(budgets), {
    kind: 'budget',
    list: 'gateway budgets list',
    idOf: ({ budgetId }) => budgetId,
    namesOf: ({ name }) => [name],
  });
