/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { barChart } from '../components/chart.js';
import { empty } from '../components/states.js';
import { element, scrollable, withShare } from '../dom.js';
import { dateTime, duration, money, percent } from '../format.js';
import { allOf } from '../parts/lists.js';
import { resourcePages } from '../parts/resource.js';
import { linkTo } from '../route.js';
import { table } from '../table.js';

/** @param {any} budget */
const resetOf = ({ calendar, time_zone: zone, budget_duration_sec: seconds }) =>
  calendar !== null
    ? `Each ${calendar} (${zone ?? 'UTC'})`
    : seconds === null
      ? 'Never'
      : `Every ${duration(seconds * 1000)}`;

/** @type {readonly GatewaySection[]} */
export const BUDGETS = [
  {
    path: 'budget-use',
    name: 'Budget use',
    group: 'Usage',
    readers: true,
    async show({ root, session, signal }) {
      root.append(...(await budgetUse(session, signal)));
    },
  },
  ...resourcePages({
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
      { key: 'calendar', title: 'Reset', cell: resetOf },
      { key: 'created_at', title: 'Created', sortable: true, cell: (row) => dateTime(row.created_at) },
    ],
    filters: [{ key: 'search', title: 'Search', kind: 'text' }],
    empty: 'No budgets yet. A budget limits the spending of each of its users, teams and organizations.',
    deletion: 'A budget that is assigned cannot be deleted.',
  }),
];

/**
 * What is spent, held and left of every budget.
 * @param {Session} session
 * @param {AbortSignal} signal
 */
async function budgetUse(session, signal) {
  const [budgets, users, teams, keys] = await Promise.all([
    allOf(session, 'v1/budgets', signal),
    allOf(session, 'v1/users', signal),
    allOf(session, 'v1/teams', signal),
    allOf(session, 'v1/keys', signal),
  ]);
  const limits = new Map(budgets.map((budget) => [budget.budget_id, budget.max_budget]));
  const owners = [
    ...users.map((one) => ({
      ...one,
      kind: 'User',
      id: one.user_id,
      path: 'users',
      max: limits.get(one.budget_id),
    })),
    ...teams.map((one) => ({
      ...one,
      kind: 'Team',
      id: one.team_id,
      path: 'teams',
      max: limits.get(one.budget_id),
    })),
    ...keys.map((one) => ({
      ...one,
      kind: 'Key',
      name: one.key_name ?? one.key_prefix,
      path: 'keys',
      reserved: 0,
      max: one.budget?.max_budget,
    })),
  ].filter(({ max }) => typeof max === 'number');
  if (owners.length === 0)
    return [empty('No user, team or key has a budget.', { name: 'Budgets', href: linkTo(['budgets']) })];
  const shareOf = (/** @type {any} */ one) => (one.max === 0 ? 1 : (one.spend + one.reserved) / one.max);
  const sorted = owners.toSorted((one, other) => shareOf(other) - shareOf(one));
  const nameOf = (/** @type {any} */ one) => `${one.kind} ${one.alias ?? one.name ?? one.id}`;
  return [
    barChart({
      title: 'Spent, held and left',
      unit: 'USD',
      stacked: true,
      bars: sorted.slice(0, 12).map((one) => ({
        name: nameOf(one),
        parts: [
          { name: 'Spent', value: one.spend },
          { name: 'Held', value: one.reserved },
          { name: 'Left', value: Math.max(0, one.max - one.spend - one.reserved) },
        ],
      })),
    }),
    scrollable(
      'Budget use',
      table(
        'Budget use',
        ['Owner', 'Used', 'Spent', 'Held', 'Left', 'Limit', 'Reset'],
        sorted.map((one) => [
          element('a', { href: linkTo([one.path, one.id]) }, nameOf(one)),
          withShare(element('span', { class: 'used' }, percent(shareOf(one))), Math.min(1, shareOf(one))),
          money(one.spend),
          one.kind === 'Key' ? '–' : money(one.reserved),
          money(Math.max(0, one.max - one.spend - one.reserved)),
          money(one.max),
          dateTime(one.next_budget_reset_at),
        ]),
        'data',
      ),
    ),
  ];
}
