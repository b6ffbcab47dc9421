import { UsageError, type CommandGroup } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { tagView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { findBudget } from './store/find-account.ts';
import { budgetText, formatDollars, formatTime, printResult } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const listTagsCommand = storeCommand({
  summary: 'List the tags that have a budget.',
  options: {},
  prepare:
    () =>
    async ({ state: { identity, budgets }, output, json }) => {
      const tags = await listAll(identity.tags);
      if (json) return printJson(output, tags.map(tagView));
      if (tags.length === 0) return output.err('No tag has a budget. Assign one with `gateway tags set`.\n');
      const known = new Map((await listAll(budgets)).map((budget) => [budget.budgetId, budget]));
      const rows = tags.map(({ tag, budgetId, spent, nextBudgetResetAt }) => {
        const budget = known.get(budgetId);
        return [
          tag,
          budget ? budgetText(budget) : budgetId,
          formatDollars(spent),
          formatTime(nextBudgetResetAt),
        ];
      });
      return printLines(output, formatTable(COLUMNS, rows, stdoutTerminal()));
    },
});

const COLUMNS = ['TAG', 'BUDGET', 'SPENT', 'NEXT RESET'];

const setTagCommand = storeCommand({
  summary: 'Assign a budget to a tag. Requests with the tag count against it.',
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

const deleteTagCommand = storeCommand({
  summary: 'Remove the budget of a tag. Its usage stays.',
  positionals: '<tag>',
  options: {},
  prepare(invocation) {
    const [tag] = exactly(invocation, '<tag>');
    return async ({ state: { identity }, output, json }) => {
      await identity.tags.delete(tag);
      printResult({ output, json }, { tag, deleted: true }, `Removed the budget of tag ${tag}.`);
    };
  },
});

export const TAG_COMMANDS: CommandGroup = {
  summary: 'Manage budgets of tags, which requests can have.',
  commands: { set: setTagCommand, list: listTagsCommand, delete: deleteTagCommand },
};
