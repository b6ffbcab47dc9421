import { storeCommand } from '../store/store-command.ts';
import { BUDGET_OPTIONS, budgetFields } from './budget-options.ts';
import { showBudget } from './show-budget.ts';

export const createBudgetCommand = storeCommand({
  summary: 'Make a budget, which users can be given: each has its own amount of it.',
  options: BUDGET_OPTIONS,
  prepare(invocation) {
    const fields = budgetFields(invocation);
    return async ({ state, output, json }) =>
      showBudget(await state.budgets.create(fields), { output, json });
  },
});
