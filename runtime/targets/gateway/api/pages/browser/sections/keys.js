/** @import { GatewaySection } from '../sections.js' */
import { dataTable } from '../components/data-table.js';
import { openDialog } from '../components/dialog.js';
import { badge } from '../components/facts.js';
import { secretOnce } from '../components/secret-once.js';
import { element } from '../dom.js';
import { dateTime, money } from '../format.js';
import { actionButton, actions, confirmedButton } from '../parts/actions.js';
import { changeBy, createBy } from '../parts/edit.js';
import { pagesOf } from '../parts/lists.js';
import { ownSpending } from '../parts/own-spending.js';
import { factsOf } from '../parts/resource.js';
import { linkTo } from '../route.js';

const KINDS = /** @type {const} */ ({ active: 'good', inactive: 'warning', expired: 'warning' });

/** @type {readonly GatewaySection[]} */
export const KEYS = [
  {
    path: 'keys',
    name: 'Keys',
    group: 'Manage',
    managers: true,
    show({ root, session, navigate }) {
      const create = async () => {
        const made = await createBy(session, { title: 'New key', schema: 'NewKey', path: 'v1/keys' });
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
          load: pagesOf(session, 'v1/keys'),
          href: (row) => linkTo(['keys', row.id]),
          empty: 'No keys yet. Create one, and give it to a program that calls models.',
        }),
      );
    },
  },
  { path: 'keys/:id', title: 'Key', managers: true, show: showKey },
];

/** @param {any} key */
const stateOf = ({ status }) => badge(status, KINDS[/** @type {keyof typeof KINDS} */ (status)] ?? 'plain');

/** @param {any} made */
async function showSecret(made) {
  await openDialog({
    title: 'The new key',
    content: secretOnce({ name: 'Key', secret: made.key }),
    actions: [{ name: 'Done' }],
  }).closed;
}

/** @param {Parameters<GatewaySection['show']>[0]} place */
async function showKey({ root, params, session, navigate, linked, setTitle, signal }) {
  const id = params['id'] ?? '';
  const url = `v1/keys/${encodeURIComponent(id)}`;
  const { data: key } = await session.call(url, { signal });
  const name = key.key_name ?? `${key.key_prefix}…`;
  setTitle(name);
  const again = () => navigate(location.hash);
  const change = async () => {
    const values = { ...key, is_active: key.is_active };
    const changed = await changeBy(session, {
      title: `Change ${name}`,
      schema: 'KeyChanges',
      path: url,
      values,
    });
    if (changed) again();
  };
  const rotate = async () => {
    const made = await createBy(session, {
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
    await session.call(url, { method: 'PATCH', body: { is_active: !key.is_active } });
    again();
  };
  root.append(
    element('p', {}, stateOf(key)),
    actions(
      actionButton('Change', change, ''),
      actionButton('Rotate', rotate),
      key.is_active
        ? confirmedButton('Revoke', {
            title: `Revoke ${name}?`,
            words: 'Requests with this key are rejected immediately. You can enable it again.',
            run: toggle,
            done: () => undefined,
          })
        : actionButton('Enable', toggle),
      confirmedButton('Delete', {
        title: `Delete ${name}?`,
        words: 'Requests with this key are rejected. Its usage is kept. This cannot be undone.',
        run: () => session.call(url, { method: 'DELETE' }),
        done: () => navigate(linkTo(['keys'])),
      }),
      element('a', { href: linkTo(['requests'], { api_key_id: id }) }, 'Requests with this key'),
    ),
    ...(await ownSpending(session, { api_key_id: id }, signal)),
    factsOf(key, linked),
  );
}
