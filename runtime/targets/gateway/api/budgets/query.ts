import type { Context } from 'hono';
import { BUDGET_ORDERS, type BudgetQuery } from '../../accounts/ledger/ledger.ts';
import { filterIn, filterParameter, orderIn, orderParameter, refuseOthers } from '../http/lists.ts';

export const BUDGET_FILTERS = [
  filterParameter('search', 'Only budgets whose name or id contains this text, in any case.', 'monthly'),
  orderParameter(BUDGET_ORDERS, '-max_budget'),
];

/** Reads the filters and the order of a list of budgets. */
export function budgetQuery(c: Context): BudgetQuery {
  refuseOthers(c, BUDGET_FILTERS);
  return { search: filterIn(c, 'search'), order: orderIn(c, BUDGET_ORDERS) };
}
