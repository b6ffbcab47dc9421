import type { Static } from 'typebox';
import type { budget, forecasts } from '#gateway/api/budgets.ts';
import type { key } from '#gateway/api/keys-schemas.ts';
import type { team } from '#gateway/api/teams-schemas.ts';
import type { userView } from '#gateway/api/views/accounts.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { barChart } from '#serve/http/pages/browser/components/chart.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element, scrollable, withShare } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money, percent } from '#serve/http/pages/browser/format.ts';
import { limitOf, resetOf } from '../parts/budget-limits.ts';
import { forecastCharts } from '../parts/forecast-chart.ts';
import { allOf } from '../parts/lists.ts';
import { resourcePages } from '../parts/resource.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { choicePart } from '../parts/time-range.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';

type Budget = Static<typeof budget>;
type Forecasts = Static<typeof forecasts>;
type Forecast = Forecasts[number]['forecast'] | undefined;

export const BUDGETS: readonly GatewaySection[] = [
  {
    path: 'budget-use',
    name: 'Budget use',
    group: 'Usage',
    readers: true,
    async show({ root, session, query, signal }) {
      root.append(...(await budgetUse(session, query, signal)));
    },
  },
  ...resourcePages<Budget>({
    path: 'budgets',
    name: 'Budgets',
    noun: 'budget',
    id: 'budget_id',
    newSchema: 'BudgetChanges',
    changeSchema: 'BudgetChanges',
    columns: [
      { key: 'name', title: 'Name', sortable: true, cell: (row) => row.name ?? row.budget_id },
      {
        key: 'max_budget',
        title: 'Limit',
        numeric: true,
        sortable: true,
        cell: (row) => (row.max_budget === null ? 'None' : money(row.max_budget)),
      },
      { key: 'limits', title: 'Further limits', cell: (row) => (row.limits ?? []).map(limitOf).join('; ') },
      { key: 'calendar', title: 'Reset', cell: resetOf },
      { key: 'created_at', title: 'Created', sortable: true, cell: (row) => dateTime(row.created_at) },
    ],
    filters: [{ key: 'search', title: 'Search', kind: 'text' }],
    empty: 'No budgets yet. A budget limits the spending of each of its users, teams and organizations.',
    deletion: 'A budget that is assigned cannot be deleted.',
  }),
];

/** The spent, reserved and remaining amount of every budget. */
async function budgetUse(session: Session, query: URLSearchParams, signal: AbortSignal) {
  const forecastsOf = async (owner: string) =>
    await allOf<Forecasts[number]>(session, 'v1/budgets/forecasts', signal, { owner });
  const [budgets, users, teams, keys, ...forecasts] = await Promise.all([
    allOf<Budget>(session, 'v1/budgets', signal),
    allOf<ReturnType<typeof userView>>(session, 'v1/users', signal),
    allOf<Static<typeof team>>(session, 'v1/teams', signal),
    allOf<Static<typeof key>>(session, 'v1/keys', signal),
    ...(['user', 'team', 'key'] as const).map(forecastsOf),
  ]);
  // The first entry of an owner is the budget itself; its further limits follow.
  const byOwner = new Map<string, Forecasts[number]>();
  for (const one of forecasts.flat()) {
    const id = `${one.owner.type} ${one.owner.id}`;
    if (!byOwner.has(id)) byOwner.set(id, one);
  }
  const limits = new Map(budgets.map(({ budget_id: id, max_budget: max }) => [id, max]));
  const limitOf = ({ budget_id: id }: { readonly budget_id: string | null }) => limits.get(id ?? '') ?? null;
  const owners = [
    ...users.map((one) => ({
      name: `User ${one.alias ?? one.user_id}`,
      owner: { type: 'user' as const, id: one.user_id },
      link: linkTo(['users', one.user_id]),
      forecast: byOwner.get(`user ${one.user_id}`)?.forecast,
      spend: one.spend,
      reserved: one.reserved,
      max: limitOf(one),
      reset: one.next_budget_reset_at,
    })),
    ...teams.map((one) => ({
      name: `Team ${one.alias ?? one.team_id}`,
      owner: { type: 'team' as const, id: one.team_id },
      link: linkTo(['teams', one.team_id]),
      forecast: byOwner.get(`team ${one.team_id}`)?.forecast,
      spend: one.spend,
      reserved: one.reserved,
      max: limitOf(one),
      reset: one.next_budget_reset_at,
    })),
    ...keys.map((one) => ({
      name: `Key ${one.key_name ?? one.key_prefix}`,
      owner: { type: 'key' as const, id: one.id },
      link: linkTo(['keys', one.id]),
      forecast: byOwner.get(`key ${one.id}`)?.forecast,
      spend: one.spend,
      // A key's reservations are already included in those of its user.
      reserved: undefined,
      max: one.budget?.max_budget ?? null,
      reset: undefined,
    })),
  ].flatMap(({ max, reserved, ...one }) =>
    max === null ? [] : [{ ...one, max, reserved, left: Math.max(0, max - one.spend - (reserved ?? 0)) }],
  );
  if (owners.length === 0)
    return [empty('No user, team or key has a budget.', { name: 'Budgets', href: linkTo(['budgets']) })];
  const shareOf = ({ max, spend, reserved = 0 }: (typeof owners)[number]) =>
    max === 0 ? 1 : (spend + reserved) / max;
  const sorted = owners.toSorted((one, other) => shareOf(other) - shareOf(one));
  return [
    barChart({
      title: 'Spent, held and left',
      unit: 'USD',
      stacked: true,
      bars: sorted.slice(0, 12).map(({ name, spend, reserved = 0, left }) => ({
        name,
        parts: [
          { name: 'Spent', value: spend },
          { name: 'Held', value: reserved },
          { name: 'Left', value: left },
        ],
      })),
    }),
    scrollable(
      'Budget use',
      table(
        'Budget use',
        ['Owner', 'Used', 'Spent', 'Held', 'Left', 'Limit', 'Projected', 'Exhausted', 'Reset'],
        sorted.map((one) => [
          element('a', { href: one.link }, one.name),
          withShare(element('span', { class: 'used' }, percent(shareOf(one))), Math.min(1, shareOf(one))),
          money(one.spend),
          money(one.reserved),
          money(one.left),
          money(one.max),
          projectedOf(one.forecast),
          exhaustedOf(one.forecast),
          dateTime(one.reset),
        ]),
        'data',
      ),
    ),
    ...choicePart(
      {
        name: 'owner',
        title: 'Forecast of',
        // The first one has the largest share of its budget, and if possible a forecast.
        choices: sorted
          .toSorted((one, other) => Number(!one.forecast) - Number(!other.forecast))
          .map(({ name, owner: { type, id } }) => ({ name: `${type}:${id}`, words: name })),
      },
      query,
      signal,
      async (chosen, leaving) => {
        const found = sorted.find(({ owner: { type, id } }) => `${type}:${id}` === chosen);
        return found ? await forecastCharts(session, found.owner, leaving) : [];
      },
    ),
  ];
}

/** Expected spending at the end of the window, with the interval that holds in 80 % of all cases. */
function projectedOf(forecast: Forecast): string {
  if (!forecast) return 'Not enough data';
  const { projected_spend: projected } = forecast;
  return projected
    ? `${money(projected.expected)} (${money(projected.low)} to ${money(projected.high)})`
    : '';
}

function exhaustedOf(forecast: Forecast): string | Node {
  if (!forecast) return '';
  return forecast.exhausted_at === null ? 'No' : dateTime(forecast.exhausted_at);
}
