import { exactly } from '#serve/cli/positionals.ts';
import { storeCommand } from '../store/store-command.ts';
import { findBudget } from './find-budget.ts';
import { showBudget } from './show-budget.ts';

export const getBudgetCommand = storeCommand({
  summary: 'Show a budget.',
  positionals: '<id|name>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name>');
    return async ({ state, output, json }) =>
      showBudget(await findBudget(state.budgets, text), { output, json });
  },
});
