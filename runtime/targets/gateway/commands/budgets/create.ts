import { storeCommand } from '../store/store-command.ts';
import { BUDGET_OPTIONS, budgetFields } from './budget-options.ts';
import { showBudget } from './show-budget.ts';

export const createBudgetCommand = storeCommand({
  summary: 'Create a budget. Each user that it is assigned to can spend the full amount.',
  options: BUDGET_OPTIONS,
  prepare(invocation) {
    const fields = budgetFields(invocation);
    return async ({ state, output, json }) =>
      showBudget(await state.budgets.create(fields), { output, json });
  },
});
