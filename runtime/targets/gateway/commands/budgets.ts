import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import type { Invocation, Option, CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { type BudgetChanges, type Budget, type Budgets, BUDGET_ORDERS } from '../accounts/ledger/ledger.ts';
import { budgetView, budgetResetView } from '../api/views/accounts.ts';
import { listAll } from '../store/list-all.ts';
import { clearableValue, requireChanges } from './options/changes.ts';
import {
  ALERT_OPTION,
  alertThresholdsOf,
  amountRule,
  parseAmount,
  parsePeriod,
  periodRule,
} from './options/limit-options.ts';
import { listOptions, listOptionsOf } from './options/list-options.ts';
import {
  budgetText,
  formatTime,
  orDash,
  thresholdsText,
  formatDollars,
  printResult,
  recordLines,
} from './show/format-values.ts';
import { findOne } from './store/find-one.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

/** Options of `budgets create` and `budgets update`. */
const BUDGET_OPTIONS = {
  name: { value: 'name', help: 'Name of the budget' },
  amount: {
    value: 'amount',
    help: 'Limit per user in dollars, e.g. 5 or 2.50; none tracks spending without a limit',
  },
  every: {
    value: 'time',
    help: 'Reset interval: daily, weekly, monthly, a duration such as 12h, or none',
  },
  calendar: {
    value: 'unit',
    help: 'Reset at the start of each day, week or month instead of after --every, or none',
  },
  'time-zone': { value: 'zone', help: 'Time zone of --calendar, e.g. Europe/Berlin', defaultText: 'UTC' },
  ...ALERT_OPTION,
} satisfies Readonly<Record<string, Option>>;

const budgetFields = (invocation: Invocation): BudgetChanges => ({
  name: invocation.value('name'),
  maxBudget: clearableValue(invocation, 'amount', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'every', { rule: periodRule, parse: parsePeriod }),
  calendar: clearableValue(invocation, 'calendar', {
    rule: CALENDAR_UNITS.join(', '),
    parse: (text) => CALENDAR_UNITS.find((unit) => unit === text),
  }),
  timeZone: invocation.value('time-zone'),
  alertThresholds: alertThresholdsOf(invocation),
});

/** Finds a budget by its id, or by a name that no other budget has. */
export const findBudget = async (budgets: Budgets, text: string): Promise<Budget> =>
  findOne(text, await listAll(budgets), {
    kind: 'budget',
    list: 'gateway budgets list',
    idOf: ({ budgetId }) => budgetId,
    namesOf: ({ name }) => [name],
  });

function showBudget(budget: Budget, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, budgetView(budget));
  else printLines(output, recordLines(recordOf(budget)));
}

const recordOf = (budget: Budget): Record<string, string> => ({
  id: budget.budgetId,
  name: orDash(budget.name),
  'limit per user': budgetText(budget),
  'alerts at': thresholdsText(budget.alertThresholds),
  created: formatTime(budget.createdAt),
  updated: formatTime(budget.updatedAt),
});

const listBudgetsCommand = storeCommand({
  summary: 'List the budgets, with the number of users of each.',
  options: listOptions('budgets', 'name or id', BUDGET_ORDERS),
  prepare(invocation) {
    const query = listOptionsOf(invocation, BUDGET_ORDERS);
    return async ({ state, output, json }) => {
      const budgets = await listAll(state.budgets, query);
      if (json) return printJson(output, budgets.map(budgetView));
      if (budgets.length === 0)
        return output.err('No budgets found. Create one with `gateway budgets create`.\n');
      const users = Map.groupBy(await listAll(state.identity.users), ({ budgetId }) => budgetId);
      const rows = budgets.map((budget) => [
        budget.budgetId,
        orDash(budget.name),
        budgetText(budget),
        String(users.get(budget.budgetId)?.length ?? 0),
        formatTime(budget.createdAt),
      ]);
      return printLines(output, formatTable(BUDGET_COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const BUDGET_COLUMNS = ['ID', 'NAME', 'LIMIT PER USER', 'USERS', 'CREATED'];

const getBudgetCommand = storeCommand({
  summary: 'Show a budget.',
  positionals: '<id|name>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name>');
    return async ({ state, output, json }) =>
      showBudget(await findBudget(state.budgets, text), { output, json });
  },
});

const createBudgetCommand = storeCommand({
  summary: 'Create a budget. Each user that it is assigned to can spend the full amount.',
  options: BUDGET_OPTIONS,
  prepare(invocation) {
    const fields = budgetFields(invocation);
    return async ({ state, output, json }) =>
      showBudget(await state.budgets.create(fields), { output, json });
  },
});

const updateBudgetCommand = storeCommand({
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

const deleteBudgetCommand = storeCommand({
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

const budgetResetsCommand = storeCommand({
  summary: 'List past budget resets and the spending before each, newest first.',
  options: {
    user: { value: 'user_id', help: 'Only resets of this user' },
    ...commonOptions({ limit: { fallback: '20' } }),
  },
  prepare(invocation) {
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const user = invocation.value('user');
    return async ({ state, output, json }) => {
      const resets = await state.budgets.resets({ skip: 0, limit }, user);
      if (json) return printJson(output, resets.map(budgetResetView));
      if (resets.length === 0) {
        const owner = user === undefined ? '' : ` of user ${JSON.stringify(user)}`;
        return output.err(`No budget${owner} has been reset yet.\n`);
      }
      const rows = resets.map((reset) => [
        formatTime(reset.resetAt),
        reset.userId,
        formatDollars(reset.previousSpend),
        formatTime(reset.nextResetAt),
      ]);
      return printLines(output, formatTable(RESET_COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const RESET_COLUMNS = ['RESET', 'USER', 'SPENT BEFORE', 'NEXT RESET'];

export const BUDGET_COMMANDS: CommandGroup = {
  summary: 'Manage budgets, which limit the spending of users.',
  commands: {
    create: createBudgetCommand,
    list: listBudgetsCommand,
    get: getBudgetCommand,
    update: updateBudgetCommand,
    delete: deleteBudgetCommand,
    resets: budgetResetsCommand,
  },
};
