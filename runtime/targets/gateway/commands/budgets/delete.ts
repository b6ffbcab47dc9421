import { exactly } from '#serve/cli/positionals.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { findBudget } from './find-budget.ts';

export const deleteBudgetCommand = storeCommand({
  summary: 'Delete a budget that is not assigned to any user.',
  positionals: '<id|name>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name>');
    return async ({ state: { budgets }, output, json }) => {
      const { budgetId } = await findBudget(budgets, text);
      await budgets.delete(budgetId);
      printResult({ output, json }, { budget_id: budgetId, deleted: true }, `Deleted budget ${budgetId}.`);
    };
  },
});
