import { UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { tagView } from '../../api/views/accounts.ts';
import { findBudget } from '../budgets/find-budget.ts';
import { budgetText } from '../show/format-values.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';

export const setTagCommand = storeCommand({
  summary: 'Assign a budget to a tag. Requests with the tag are held against it.',
  positionals: '<tag>',
  options: { budget: { value: 'id|name', help: 'The budget (required)' } },
  prepare(invocation) {
    const [tag] = exactly(invocation, '<tag>');
    const name = invocation.value('budget');
    if (name === undefined)
      throw new UsageError('--budget is missing; `gateway budgets list` shows all budgets.');
    return async ({ state: { identity, budgets }, output, json }) => {
      const budget = await findBudget(budgets, name);
      const set = await identity.tags.set(tag, budget.budgetId);
      printResult({ output, json }, tagView(set), `Tag ${tag} has a budget of ${budgetText(budget)}.`);
    };
  },
});
