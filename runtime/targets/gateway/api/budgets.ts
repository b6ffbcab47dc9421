import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { wordOf } from '#serve/http/query.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { BUDGET_FIELDS } from '../accounts/fields/budgets.ts';
import { FORECAST_KINDS } from '../accounts/ledger/forecast/budget-forecasts.ts';
import { BUDGET_ORDERS } from '../accounts/ledger/ledger.ts';
import type { GatewayContext } from '../context.ts';
import { answerMembers, changesOf, exampleOf, requestMembers } from './http/field-schemas.ts';
import { count, dollars, time, timeOrNull } from './http/fields.ts';
import { listQuery, pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { budgetResetView, budgetView } from './views/accounts.ts';
import { drawnForecastView, forecastView } from './views/forecasts.ts';

const budgetChanges = closed('BudgetChanges', requestMembers(BUDGET_FIELDS, 'update'));

export const budget = closed(
  'Budget',
  answerMembers(BUDGET_FIELDS),
  'A spending limit that applies separately to each user it is assigned to.',
);

const budgetList = Type.Array(budget);

const budgetResets = Type.Array(
  closed('BudgetReset', {
    id: Type.String(),
    user_id: Type.String(),
    previous_spend: dollars('Spending in the past window, in US dollars.'),
    reset_at: time('End of the window.'),
    next_reset_at: timeOrNull('End of the next window.'),
  }),
);

export const forecasts = Type.Array(
  closed('BudgetForecast', {
    owner: closed('ForecastOwner', { type: oneOf(FORECAST_KINDS), id: Type.String() }),
    label: Type.String({ description: 'Name of the budget or of one of its further limits.' }),
    models: orNull(Type.Array(Type.String()), 'Models of a further limit; null for all.'),
    max_budget: dollars('Spending limit in US dollars.'),
    spend: dollars('Spending in the current window, in US dollars.'),
    reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
    budget_started_at: timeOrNull('Start of the current window.'),
    next_budget_reset_at: timeOrNull('End of the current window.'),
    days: count('Number of complete days that the forecast is based on, at most 56.'),
    forecast: orNull(
      closed('SpendingForecast', {
        projected_spend: orNull(
          closed('ProjectedSpend', {
            expected: dollars('Expected spending.'),
            low: dollars('Lower end of the interval that holds in 80 % of all cases.'),
            high: dollars('Upper end of the interval.'),
          }),
          'Spending at the end of the window; null for a budget without resets.',
        ),
        exhausted_at: timeOrNull(
          'When the budget is expected to be exhausted; null if it lasts until the end of the window or for a year.',
        ),
        exhausted_earliest: timeOrNull('The same, with the spending at the upper end of the interval.'),
        weekly: Type.Boolean({ description: 'Whether each day of the week has its own average.' }),
      }),
      'Null if there are fewer than 7 complete days of usage, which is not enough data.',
    ),
    course: Type.Optional(
      closed(
        'SpendingCourse',
        {
          past: Type.Array(
            closed('SpendingSoFar', {
              time: time('Start of the window, a whole hour or day in UTC, or now.'),
              spend: dollars('Spending until this time.'),
            }),
            { description: 'Spending since the start of the window; without resets, in the last 30 days.' },
          ),
          future: Type.Array(
            closed('ExpectedSpending', {
              time: time('Now, a whole hour or day in UTC, or the end of the window.'),
              expected: dollars(),
              low: dollars('Lower end of the interval that holds in 80 % of all cases.'),
              high: dollars(),
            }),
            {
              description:
                'Expected spending until the end of the window; without resets, for at least 30 days. Empty without a forecast.',
            },
          ),
        },
        'The course of the spending, for a chart; only in responses to requests with `id`.',
      ),
    ),
  }),
);

const FORECAST = {
  owner: { type: 'team' as const, id: 'sales' },
  label: "Team 'sales'",
  models: null,
  max_budget: 100,
  spend: 62.5,
  reserved: 0.02,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  days: 42,
  forecast: {
    projected_spend: { expected: 104.2, low: 95.1, high: 113.3 },
    exhausted_at: '2026-01-30T09:12:00Z',
    exhausted_earliest: '2026-01-27T15:40:00Z',
    weekly: true,
  },
};

const LIST = listQuery(
  {
    search: {
      description: 'Only budgets whose name or ID contains this text, case-insensitively.',
      example: 'monthly',
    },
  },
  { orders: BUDGET_ORDERS, example: '-max_budget' },
);

const MONTHLY = exampleOf(BUDGET_FIELDS, {
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  name: 'monthly',
  max_budget: 100,
  calendar: 'month',
  time_zone: 'Europe/Berlin',
  alert_thresholds: [80, 100],
});

const BUDGET_ID = { name: 'budget_id', description: 'Budget id.', example: MONTHLY.budget_id };

/** `/v1/budgets`: budgets, which limit users' spending. */
export function budgetRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { budgets } = state;

  return [
    route({
      method: 'post',
      path: '/v1/budgets',
      guard: guards.admin,
      id: 'createBudget',
      tag: 'Budgets',
      summary: 'Create a budget.',
      description:
        'Each user, team or organization with the budget can spend the full amount, and has separate windows.',
      request: {
        schema: budgetChanges,
        examples: {
          monthly: { name: 'monthly', max_budget: 100, calendar: 'month', time_zone: 'Europe/Berlin' },
          'two windows and a limit for some models': {
            limits: [
              { max_budget: 5, budget_duration_sec: 18_000 },
              { max_budget: 20, calendar: 'week' },
              { max_budget: 3, calendar: 'week', models: ['anthropic:*'] },
            ],
          },
          '30 days': { name: '30 days', max_budget: 100, budget_duration_sec: 2_592_000 },
        },
      },
      answer: answerOf('The budget.', budget, MONTHLY),
      run: async (_c, body) => budgetView(await budgets.create(changesOf(BUDGET_FIELDS, body))),
    }),
    route({
      method: 'get',
      path: '/v1/budgets',
      guard: guards.reader,
      id: 'listBudgets',
      tag: 'Budgets',
      summary: 'List budgets in order of creation.',
      ...pageOfList({ schema: budgetList, example: [MONTHLY], parameters: LIST.parameters }),
      run: async (c) => (await budgets.list(pageOf(c), LIST.read(c))).map((budget) => budgetView(budget)),
    }),
    route({
      method: 'get',
      path: '/v1/budgets/reset-logs',
      guard: guards.reader,
      id: 'listBudgetResets',
      tag: 'Budgets',
      summary: 'List past budget resets, newest first.',
      description: 'The first request after the end of a window resets the budget.',
      ...pageOfList({
        schema: budgetResets,
        example: [
          {
            id: 'c0a8012e-6f1d-4f0e-8b51-3c1b6b1e2a77',
            user_id: 'ada',
            previous_spend: 42.5,
            reset_at: '2026-01-31T00:00:00Z',
            next_reset_at: '2026-03-02T00:00:00Z',
          },
        ],
        parameters: [
          { name: 'user_id', in: 'query', description: 'Only resets for this user.', example: 'ada' },
        ],
      }),
      run: async (c) => {
        const resets = await budgets.resets(pageOf(c), c.req.query('user_id') || undefined);
        return resets.map((reset) => budgetResetView(reset));
      },
    }),
    route({
      method: 'get',
      path: '/v1/budgets/forecasts',
      guard: guards.reader,
      id: 'listBudgetForecasts',
      tag: 'Budgets',
      summary: 'Forecast the spending of all budgets of users, keys, teams or organizations.',
      description:
        'One entry for each window of a budget. The page refers to the owners; those without a budget have no entries.',
      ...pageOfList({
        schema: forecasts,
        example: [FORECAST],
        parameters: [
          {
            name: 'owner',
            in: 'query',
            description: 'Kind of the budgets’ owners.',
            example: 'team',
            schema: oneOf(FORECAST_KINDS, { default: 'user' }),
          },
          {
            name: 'id',
            in: 'query',
            description: 'Only the budgets of the owner with this ID, each with `course`.',
            example: 'sales',
          },
        ],
      }),
      run: async (c) => {
        const kind = wordOf(c, 'owner', FORECAST_KINDS, 'user');
        const id = c.req.query('id');
        if (id) return (await state.forecasts.draw(kind, id)).map((one) => drawnForecastView(one));
        return (await state.forecasts.list(kind, pageOf(c))).map((one) => forecastView(one));
      },
    }),
    route({
      method: 'get',
      path: '/v1/budgets/:id',
      guard: guards.reader,
      id: 'getBudget',
      tag: 'Budgets',
      summary: 'Get a budget.',
      parameters: [BUDGET_ID],
      answer: answerOf('The budget.', budget, MONTHLY),
      run: async (c) => budgetView(await budgets.get(c.req.param('id'))),
    }),
    route({
      method: 'patch',
      path: '/v1/budgets/:id',
      guard: guards.admin,
      id: 'changeBudget',
      tag: 'Budgets',
      summary: 'Change a budget for all its users.',
      description: 'Omitted fields stay unchanged; null clears a field.',
      parameters: [BUDGET_ID],
      request: { schema: budgetChanges, examples: { more: { max_budget: 200 } } },
      answer: answerOf('The changed budget.', budget, { ...MONTHLY, max_budget: 200 }),
      run: async (c, body) => {
        const changes = changesOf(BUDGET_FIELDS, body);
        return budgetView(await budgets.change(c.req.param('id'), changes));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/budgets/:id',
      guard: guards.admin,
      id: 'deleteBudget',
      tag: 'Budgets',
      summary: 'Delete a budget that is not assigned to any user.',
      parameters: [BUDGET_ID],
      answer: noContent('The budget is deleted.'),
      errors: [409],
      run: async (c) => {
        await budgets.delete(c.req.param('id'));
      },
    }),
  ];
}
