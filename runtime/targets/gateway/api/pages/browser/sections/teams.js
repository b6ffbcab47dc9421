/** @import { Session } from '../session.js' */
import { badge } from '../components/facts.js';
import { element, scrollable } from '../dom.js';
import { dateTime, money } from '../format.js';
import { ACCOUNT_FILTERS } from '../parts/account-filters.js';
import { actionButton, actions, confirmedButton } from '../parts/actions.js';
import { createBy } from '../parts/edit.js';
import { ownSpending } from '../parts/own-spending.js';
import { resourcePages } from '../parts/resource.js';
import { linkTo } from '../route.js';
import { table } from '../table.js';
import { openDialog } from '../components/dialog.js';

export const TEAMS = resourcePages({
  path: 'teams',
  name: 'Teams',
  noun: 'team',
  id: 'team_id',
  newSchema: 'NewTeam',
  changeSchema: 'TeamChanges',
  readers: false,
  managers: true,
  columns: [
    { key: 'team_id', title: 'Team', sortable: true },
    { key: 'alias', title: 'Name', sortable: true },
    { key: 'organization_id', title: 'Organization' },
    {
      key: 'blocked',
      title: 'Status',
      cell: (row) => (row.blocked ? badge('blocked', 'alarm') : badge('active', 'good')),
    },
    { key: 'spend', title: 'Spend', numeric: true, sortable: true, cell: (row) => money(row.spend) },
    { key: 'reserved', title: 'Held', numeric: true, cell: (row) => money(row.reserved) },
    { key: 'created_at', title: 'Created', sortable: true, cell: (row) => dateTime(row.created_at) },
  ],
  filters: [...ACCOUNT_FILTERS, { key: 'organization_id', title: 'Organization id', kind: 'text' }],
  empty: 'No teams yet. The keys of a team share its budget, its limits and its models.',
  deletion: 'The keys of the team lose it. Its usage is kept.',
  async more({ item, session, signal, refresh }) {
    const path = `v1/teams/${encodeURIComponent(item.team_id)}/members`;
    const { data: members } = await session.call(path, { signal });
    return [
      ...(await ownSpending(session, { team_id: item.team_id }, signal).catch(hidden)),
      element(
        'p',
        {},
        element('a', { href: linkTo(['requests'], { team_id: item.team_id }) }, 'Requests of this team'),
      ),
      element('h2', {}, 'Members'),
      actions(actionButton('Add member', () => addMember(session, path, refresh))),
      scrollable(
        'Members',
        table(
          'Members',
          ['User', 'Role', 'Since', 'Actions'],
          members.map((/** @type {any} */ one) => [
            one.user_id,
            one.role,
            dateTime(one.created_at),
            confirmedButton('Remove', {
              title: `Remove ${one.user_id}?`,
              words: 'Keys of the user for this team stop working.',
              run: () => session.call(`${path}/${encodeURIComponent(one.user_id)}`, { method: 'DELETE' }),
              done: refresh,
            }),
          ]),
          'data',
        ),
      ),
    ];
  },
});

/**
 * Members without the role admin do not see the usage of their team.
 * @param {any} error
 * @returns {never[]}
 */
function hidden(error) {
  if (error.status !== 403) throw error;
  return [];
}

/**
 * @param {Session} session
 * @param {string} path
 * @param {() => void} refresh
 */
async function addMember(session, path, refresh) {
  const user = element('input', { id: 'member-user', required: true, autocomplete: 'off' });
  let id = '';
  await openDialog({
    title: 'Add member',
    content: element('p', { class: 'field' }, element('label', { for: 'member-user' }, 'User id'), user),
    actions: [
      { name: 'Cancel', kind: 'quiet' },
      {
        name: 'Continue',
        run() {
          id = user.value.trim();
          return id !== '';
        },
      },
    ],
  }).closed;
  if (id === '') return;
  const added = await createBy(session, {
    title: `Add ${id}`,
    schema: 'NewTeamMember',
    path: `${path}/${encodeURIComponent(id)}`,
    method: 'PUT',
    submit: 'Add',
  });
  if (added) refresh();
}
