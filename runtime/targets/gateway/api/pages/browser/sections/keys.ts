import type { Static } from 'typebox';
import type { createdKey, key } from '#gateway/api/keys-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { secretOnce } from '#serve/http/pages/browser/copy-button.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money } from '#serve/http/pages/browser/format.ts';
import { actionButton, actions, confirmedButton, changeBy, createBy } from '../parts/edit.ts';
import { pagesOf } from '../parts/lists.ts';
import { ownSpending } from '../parts/trend-series.ts';
import { factsOf } from '../parts/resource.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

type Key = Static<typeof key>;
type Created = Static<typeof createdKey>;

const KINDS = { active: 'good', inactive: 'warning', expired: 'warning' } as const;

export const KEYS: readonly GatewaySection[] = [
  {
    path: 'keys',
    name: 'Keys',
    group: 'Manage',
    managers: true,
    show({ root, session, navigate }) {
      const create = async () => {
        const made = await createBy<Created>(session, {
          title: 'New key',
          schema: 'NewKey',
          path: 'v1/keys',
        });
        if (!made) return;
        await showSecret(made);
        navigate(linkTo(['keys', made.id]));
      };
      root.append(
        actions(actionButton('New key', create, '')),
        dataTable({
          caption: 'Keys',
          columns: [
            {
              key: 'key_name',
              title: 'Name',
              sortable: true,
              cell: (row) => row.key_name ?? `${row.key_prefix}…`,
            },
            { key: 'key_prefix', title: 'Starts with', cell: (row) => element('code', {}, row.key_prefix) },
            { key: 'status', title: 'Status', cell: (row) => stateOf(row) },
            { key: 'user_id', title: 'User', sortable: true },
            { key: 'team_id', title: 'Team' },
            { key: 'scope', title: 'Scope' },
            { key: 'spend', title: 'Spend', numeric: true, sortable: true, cell: (row) => money(row.spend) },
            {
              key: 'last_used_at',
              title: 'Last used',
              sortable: true,
              cell: (row) => dateTime(row.last_used_at),
            },
            { key: 'created_at', title: 'Created', sortable: true, cell: (row) => dateTime(row.created_at) },
          ],
          filters: [
            { key: 'search', title: 'Search', kind: 'text' },
            { key: 'status', title: 'Status', kind: 'choice', choices: Object.keys(KINDS) },
            { key: 'user_id', title: 'User id', kind: 'text' },
            { key: 'team_id', title: 'Team id', kind: 'text' },
          ],
          load: pagesOf<Key>(session, 'v1/keys'),
          href: (row) => linkTo(['keys', row.id]),
          empty: 'No keys yet. Create one for each program that calls models.',
        }),
      );
    },
  },
  { path: 'keys/:id', title: 'Key', managers: true, show: showKey },
];

const stateOf = ({ status }: Key) => badge(status, KINDS[status]);

async function showSecret(made: Created) {
  await openDialog({
    title: 'The new key',
    content: secretOnce({ name: 'Key', secret: made.key }),
    actions: [{ name: 'Done' }],
  }).closed;
}

async function showKey({ root, params, session, navigate, linked, setTitle, signal }: Place) {
  const id = params['id'] ?? '';
  const url = `v1/keys/${encodeURIComponent(id)}`;
  const { data: shown } = await session.call<Key>(url, { signal });
  const name = shown.key_name ?? `${shown.key_prefix}…`;
  setTitle(name);
  const again = () => navigate(location.hash);
  const change = async () => {
    const values = { ...shown, is_active: shown.is_active };
    const changed = await changeBy(session, {
      title: `Change ${name}`,
      schema: 'KeyChanges',
      path: url,
      values,
    });
    if (changed) again();
  };
  const rotate = async () => {
    const made = await createBy<Created>(session, {
      title: `Rotate ${name}`,
      schema: 'KeyRotation',
      path: `${url}/rotate`,
      submit: 'Rotate',
    });
    if (!made) return;
    await showSecret(made);
    again();
  };
  const toggle = async () => {
    await session.call(url, { method: 'PATCH', body: { is_active: !shown.is_active } });
    again();
  };
  root.append(
    element('p', {}, stateOf(shown)),
    actions(
      actionButton('Change', change, ''),
      actionButton('Rotate', rotate),
      shown.is_active
        ? confirmedButton('Revoke', {
            title: `Revoke ${name}?`,
            words: 'Requests with this key will be rejected immediately. You can enable the key again later.',
            run: toggle,
            done: () => undefined,
          })
        : actionButton('Enable', toggle),
      confirmedButton('Delete', {
        title: `Delete ${name}?`,
        words:
          'Requests with this key will be rejected. The key’s usage data is kept. This cannot be undone.',
        run: () => session.call(url, { method: 'DELETE' }),
        done: () => navigate(linkTo(['keys'])),
      }),
      element('a', { href: linkTo(['requests'], { api_key_id: id }) }, 'Requests with this key'),
    ),
    ...(await ownSpending(session, { api_key_id: id }, signal)),
    factsOf(shown, linked),
  );
}
