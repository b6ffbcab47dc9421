import type { userView } from '#gateway/api/views/accounts.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money } from '#serve/http/pages/browser/format.ts';
import { ACCOUNT_FILTERS, resourcePages } from '../parts/resource.ts';
import { ownSpending } from '../parts/trend-series.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

export const USERS = resourcePages<ReturnType<typeof userView>>({
  path: 'users',
  name: 'Users',
  noun: 'user',
  id: 'user_id',
  newSchema: 'NewUser',
  changeSchema: 'UserChanges',
  columns: [
    { key: 'user_id', title: 'User', sortable: true },
    { key: 'alias', title: 'Name', sortable: true },
    { key: 'role', title: 'Role' },
    {
      key: 'blocked',
      title: 'Status',
      cell: (row) => (row.blocked ? badge('blocked', 'alarm') : badge('active', 'good')),
    },
    { key: 'spend', title: 'Spend', numeric: true, sortable: true, cell: (row) => money(row.spend) },
    { key: 'reserved', title: 'Held', numeric: true, cell: (row) => money(row.reserved) },
    { key: 'team_id', title: 'Service account of' },
    { key: 'created_at', title: 'Created', sortable: true, cell: (row) => dateTime(row.created_at) },
  ],
  filters: [...ACCOUNT_FILTERS, { key: 'team_id', title: 'Team id', kind: 'text' }],
  empty: 'No users yet. Creating a key also creates its user, and administrators can create more.',
  deletion: 'The user’s keys will stop working. Usage data is kept.',
  more: async ({ item, session, signal }) => [
    ...(await ownSpending(session, { user_id: item.user_id }, signal)),
    element(
      'p',
      {},
      element('a', { href: linkTo(['requests'], { user_id: item.user_id }) }, 'Requests from this user'),
    ),
  ],
});
