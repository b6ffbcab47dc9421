import type { Static } from 'typebox';
import type { member, team } from '#gateway/api/teams-schemas.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { badge, table } from '#serve/http/pages/browser/components/facts.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money } from '#serve/http/pages/browser/format.ts';
import { ACCOUNT_FILTERS, resourcePages } from '../parts/resource.ts';
import { actionButton, actions, confirmedButton, createBy } from '../parts/edit.ts';
import { ownSpending } from '../parts/trend-series.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';

export const TEAMS = resourcePages<Static<typeof team>>({
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
  empty: 'No teams yet. A team’s keys share its budget, limits and models.',
  deletion: 'The team’s keys will stop working. The team’s usage data is kept.',
  async more({ item, session, signal, refresh }) {
    const path = `v1/teams/${encodeURIComponent(item.team_id)}/members`;
    const { data: members } = await session.call<readonly Static<typeof member>[]>(path, { signal });
    return [
      ...(await ownSpending(session, { team_id: item.team_id }, signal).catch(hidden)),
      element(
        'p',
        {},
        element('a', { href: linkTo(['requests'], { team_id: item.team_id }) }, 'Requests from this team'),
      ),
      element('h2', {}, 'Members'),
      actions(actionButton('Add member', () => addMember(session, path, refresh))),
      scrollable(
        'Members',
        table(
          'Members',
          ['User', 'Role', 'Since', 'Actions'],
          members.map((one) => [
            one.user_id,
            one.role,
            dateTime(one.created_at),
            confirmedButton('Remove', {
              title: `Remove ${one.user_id}?`,
              words: 'The user’s keys for this team will stop working.',
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

/** Members without the role `admin` cannot see their team's usage. */
function hidden(error: unknown): never[] {
  if (!(error instanceof ServerError) || error.status !== 403) throw error;
  return [];
}

async function addMember(session: Session, path: string, refresh: () => void) {
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
