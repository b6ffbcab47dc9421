import type { CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { BUDGET_FIELDS } from '../accounts/fields/budgets.ts';
import { FORECAST_KINDS } from '../accounts/ledger/forecast/budget-forecasts.ts';
import type { Forecast } from '../accounts/ledger/forecast/forecast.ts';
import { type Budget, BUDGET_ORDERS } from '../accounts/ledger/ledger.ts';
import { budgetResetView, budgetView } from '../api/views/accounts.ts';
import { forecastView } from '../api/views/forecasts.ts';
import { inThisOrder } from '../shared/in-this-order.ts';
import { listAll } from '../store/list-all.ts';
import { changedFields, fieldOptions, newFields } from './options/field-options.ts';
import { listOptions, listOptionsOf } from './options/list-options.ts';
import { fieldRecord } from './show/field-record.ts';
import { budgetText, formatDollars, formatTime, orDash } from './show/format-values.ts';
import { findBudget } from './store/find-account.ts';
import { resourceCommands } from './store/resource-commands.ts';
import { storeCommand } from './store/store-command.ts';

const COMMANDS = resourceCommands<Budget>({
  argument: '<id|name>',
  find: async ({ state }, text) => await findBudget(state.budgets, text),
  view: budgetView,
  record: (budget) =>
    inThisOrder(
      {
        ...fieldRecord(BUDGET_FIELDS, { ...budget, timeZone: null }, { first: [] }),
        'limit per user': budgetText(budget),
      },
      ['id', 'name', 'limit per user'],
    ),
  list: {
    summary: 'List the budgets with their number of users.',
    options: listOptions('budgets', 'name or id', BUDGET_ORDERS),
    prepare(invocation) {
      const query = listOptionsOf(invocation, BUDGET_ORDERS);
      return async ({ state }) => await listAll(state.budgets, query);
    },
    none: 'No budgets found. Create one with `gateway budgets create`.',
    heads: ['ID', 'NAME', 'LIMIT PER USER', 'USERS', 'CREATED'],
    async rows(budgets, { state }) {
      const users = Map.groupBy(await listAll(state.identity.users), ({ budgetId }) => budgetId);
      return budgets.map((budget) => [
        budget.budgetId,
        orDash(budget.name),
        budgetText(budget),
        String(users.get(budget.budgetId)?.length ?? 0),
        formatTime(budget.createdAt),
      ]);
    },
  },
  get: { summary: 'Show a budget.' },
  create: {
    summary: 'Create a budget. Each user that it is assigned to can spend the full amount.',
    options: fieldOptions(BUDGET_FIELDS, 'create'),
    prepare(invocation) {
      const fields = newFields(BUDGET_FIELDS, invocation);
      return async ({ state }) => await state.budgets.create(await fields.values(state));
    },
  },
  update: {
    summary: 'Change a budget for all its users.',
    options: fieldOptions(BUDGET_FIELDS, 'update'),
    prepare(invocation, text) {
      const changes = changedFields(BUDGET_FIELDS, invocation);
      return async ({ state }) => {
        const { budgetId } = await findBudget(state.budgets, text);
        return await state.budgets.change(budgetId, await changes.values(state));
      };
    },
  },
  delete: {
    summary: 'Delete a budget that is not assigned to any user.',
    async run(text, { state: { budgets } }) {
      const { budgetId } = await findBudget(budgets, text);
      await budgets.delete(budgetId);
      return [{ budget_id: budgetId }, `Deleted budget ${budgetId}.`];
    },
  },
});

const budgetResetsCommand = storeCommand({
  summary: 'List past budget resets with the spending before each reset, newest first.',
  options: {
    user: { value: 'user_id', help: 'Only resets for this user' },
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

const budgetForecastCommand = storeCommand({
  summary: 'Forecast the spending of budgets until the end of their windows.',
  options: {
    owner: {
      value: 'kind',
      help: 'Kind of the owners of the budgets',
      choices: FORECAST_KINDS,
      defaultText: 'user',
    },
    ...commonOptions({ limit: { fallback: '1000' } }),
  },
  prepare(invocation) {
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    const owner = FORECAST_KINDS.find((kind) => kind === invocation.value('owner')) ?? 'user';
    return async ({ state, output, json }) => {
      const found = await state.forecasts.list(owner, { skip: 0, limit });
      if (json) return printJson(output, found.map(forecastView));
      if (found.length === 0) return output.err(`No ${owner} has a budget.\n`);
      const rows = found.map(({ label, spent, maxBudget, endsAt, forecast }) => [
        label,
        formatDollars(spent),
        formatDollars(maxBudget),
        formatTime(endsAt),
        ...forecastCells(forecast),
      ]);
      return printLines(output, formatTable(FORECAST_COLUMNS, rows, stdoutTerminal()));
    };
  },
});

const FORECAST_COLUMNS = ['BUDGET', 'SPENT', 'LIMIT', 'RESET', 'PROJECTED', '80 % INTERVAL', 'EXHAUSTED'];

function forecastCells(forecast: Forecast | undefined): readonly string[] {
  if (!forecast) return ['not enough data', '-', '-'];
  const { projected, exhaustedAt = null } = forecast;
  const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
  return [
    projected ? dollars(projected.expected) : '-',
    projected ? `${dollars(projected.low)} - ${dollars(projected.high)}` : '-',
    exhaustedAt === null ? 'no' : formatTime(exhaustedAt),
  ];
}

const RESET_COLUMNS = ['RESET', 'USER', 'SPENT BEFORE', 'NEXT RESET'];

export const BUDGET_COMMANDS: CommandGroup = {
  summary: 'Manage budgets, which limit the spending of users.',
  commands: {
    create: COMMANDS.create,
    list: COMMANDS.list,
    get: COMMANDS.get,
    update: COMMANDS.update,
    delete: COMMANDS.delete,
    resets: budgetResetsCommand,
    forecast: budgetForecastCommand,
  },
};
