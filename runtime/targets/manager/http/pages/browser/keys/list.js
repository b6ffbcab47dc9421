/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { confirmAction } from '../components/dialog.js';
import { badge } from '../components/facts.js';
import { element, listed } from '../dom.js';
import { dateTime } from '../format.js';
import { admin } from '../shared/api.js';
import { button } from '../shared/button.js';
import { EDIT_HINT, readCaller } from '../shared/caller.js';
import { localRows } from '../shared/local-rows.js';

/** @type {Record<string, 'good' | 'plain'>} */
const STATES = { active: 'good' };

/** What a key without restrictions can use. */
const ALL = 'all servers';

/**
 * The API keys and their permissions.
 * @param {Place} place
 */
export async function showKeys({ root, session, signal }) {
  const caller = await readCaller(session, signal);
  const holder = element('div');

  const draw = () =>
    holder.replaceChildren(
      dataTable({
        caption: 'Keys',
        filters: [{ key: 'q', title: 'Search', kind: 'text' }],
        columns: [
          { key: 'name', title: 'Key' },
          { key: 'id', title: 'ID', cell: ({ id }) => element('code', {}, id) },
          { key: 'state', title: 'State', cell: ({ state }) => badge(state, STATES[state] ?? 'plain') },
          { key: 'access', title: 'Access', cell: (key) => listed(accessOf(key), ALL) },
          { key: 'permissions', title: 'Permissions', cell: permissionsOf },
          { key: 'rate', title: 'Rate limit' },
          {
            key: 'expires',
            title: 'Expires',
            cell: ({ expires }) => (expires ? dateTime(expires) : 'never'),
          },
          { key: 'created', title: 'Created', cell: (key) => dateTime(key.created) },
          ...(caller.edit
            ? [
                {
                  key: 'actions',
                  title: 'Actions',
                  cell: (/** @type {any} */ key) =>
                    key.state === 'active' ? button('Revoke', () => revoke(key), 'danger') : '–',
                },
              ]
            : []),
        ],
        load: localRows(
          async () => {
            const { data } = await session.call(admin('keys'), { signal });
            return data.keys;
          },
          (key) => `${key.name} ${key.id} ${key.state} ${accessOf(key).join(' ') || ALL}`,
        ),
        empty:
          'There are no keys: every program on this machine can use the servers. Create the first key with mcp-manager keys create.',
      }),
    );

  /** @param {any} key */
  async function revoke({ id, name }) {
    const isDone = await confirmAction({
      title: `Revoke ${name}?`,
      words: 'Programs that use this key are rejected within a second. A revoked key cannot be used again.',
      action: {
        name: 'Revoke key',
        kind: 'danger',
        run: () => session.call(admin('keys', id), { method: 'DELETE' }),
      },
    });
    if (isDone) draw();
  }

  draw();
  root.append(
    caller.edit
      ? element('p', {}, element('a', { href: '#/keys/new' }, 'New key'))
      : element('p', { class: 'hint' }, EDIT_HINT),
    holder,
  );
}

/**
 * @param {any} key
 * @returns {string[]}
 */
function accessOf({ servers, tools, prompts, resources, groups }) {
  return [
    ...servers,
    ...tools,
    ...prompts.map((/** @type {string} */ one) => `prompt ${one}`),
    ...resources.map((/** @type {string} */ one) => `resource ${one}`),
    ...groups.map((/** @type {string} */ one) => `group ${one}`),
  ];
}

/** @param {any} key */
const permissionsOf = ({ admin: isAdmin, adminReadOnly, edit, readOnly }) =>
  listed(
    [
      ...(isAdmin ? [adminReadOnly ? 'admin (reading only)' : 'admin'] : []),
      ...(edit ? ['edit'] : []),
      ...(readOnly ? ['read-only tools'] : []),
    ],
    'calls',
  );
