import { UsageError, type CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import type { Tag } from '../accounts/identity/identity.ts';
import { tagView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { findBudget } from './store/find-account.ts';
import { budgetText, formatDollars, formatTime, printResult } from './show/format-values.ts';
import { deleteCommand, listCommand } from './store/resource-commands.ts';
import { storeCommand } from './store/store-command.ts';

const listTagsCommand = listCommand<Tag>({
  view: tagView,
  list: {
    summary: 'List the tags that have a budget.',
    prepare:
      () =>
      async ({ state }) =>
        await listAll(state.identity.tags),
    none: 'No tag has a budget. Assign one with `gateway tags set`.',
    heads: ['TAG', 'BUDGET', 'SPENT', 'NEXT RESET'],
    async rows(tags, { state }) {
      const known = new Map((await listAll(state.budgets)).map((budget) => [budget.budgetId, budget]));
      return tags.map(({ tag, budgetId, spent, nextBudgetResetAt }) => {
        const budget = known.get(budgetId);
        return [
          tag,
          budget ? budgetText(budget) : budgetId,
          formatDollars(spent),
          formatTime(nextBudgetResetAt),
        ];
      });
    },
  },
});

const setTagCommand = storeCommand({
  summary: 'Assign a budget to a tag. The cost of requests with the tag is charged to it.',
  positionals: '<tag>',
  options: { budget: { value: 'id|name', help: 'The budget (required)' } },
  prepare(invocation) {
    const [tag] = exactly(invocation, '<tag>');
    const name = invocation.value('budget');
    if (name === undefined)
      throw new UsageError('--budget is required; `gateway budgets list` shows all budgets.');
    return async ({ state: { identity, budgets }, output, json }) => {
      const budget = await findBudget(budgets, name);
      const set = await identity.tags.set(tag, budget.budgetId);
      printResult({ output, json }, tagView(set), `Tag ${tag} now has a budget of ${budgetText(budget)}.`);
    };
  },
});

const deleteTagCommand = deleteCommand({
  argument: '<tag>',
  delete: {
    summary: 'Remove a tag’s budget. Its usage is kept.',
    async run(tag, { state }) {
      await state.identity.tags.delete(tag);
      return [{ tag }, `Removed the budget of tag ${tag}.`];
    },
  },
});

export const TAG_COMMANDS: CommandGroup = {
  summary: 'Manage budgets for request tags.',
  commands: { set: setTagCommand, list: listTagsCommand, delete: deleteTagCommand },
};
