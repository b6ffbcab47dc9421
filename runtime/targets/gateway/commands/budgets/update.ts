import { exactly } from '#serve/cli/positionals.ts';
import { requireChanges } from '../options/require-changes.ts';
import { storeCommand } from '../store/store-command.ts';
import { BUDGET_OPTIONS, budgetFields } from './budget-options.ts';
import { findBudget } from './find-budget.ts';
import { showBudget } from './show-budget.ts';

export const updateBudgetCommand = storeCommand({
  summary: 'Change a budget for all its users.',
  positionals: '<id|name>',
  options: BUDGET_OPTIONS,
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name>');
    const fields = budgetFields(invocation);
    requireChanges(fields);
    return async ({ state: { budgets }, output, json }) => {
      const { budgetId } = await findBudget(budgets, text);
      showBudget(await budgets.change(budgetId, fields), { output, json });
    };
  },
});
