import type { Static } from 'typebox';
import type { createdKeyBody, keysBody } from '#manager/http/schemas/keys.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { dateTime } from '#serve/http/pages/browser/format.ts';
import { admin, EDIT_HINT, readCaller } from '../shared/caller.ts';
import { button, localRows } from '../shared/parts.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { secretOnce } from '#serve/http/pages/browser/copy-button.ts';

type Key = Static<typeof keysBody>['keys'][number];

const STATES: Record<string, 'good' | 'plain'> = { active: 'good' };

/** What an unrestricted key can use. */
const ALL = 'all servers';

/** The API keys and their permissions. */
export async function showKeys({ root, session, signal }: Place) {
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
                  cell: (key: Key) =>
                    key.state === 'active' ? button('Revoke', () => revoke(key), 'danger') : '–',
                },
              ]
            : []),
        ],
        load: localRows(
          async () => {
            const { data } = await session.call<Static<typeof keysBody>>(admin('keys'), { signal });
            return data.keys;
          },
          (key) => `${key.name} ${key.id} ${key.state} ${accessOf(key).join(' ') || ALL}`,
        ),
        empty:
          'No keys exist, so every program on this machine can use the servers. Create the first key with mcp-manager keys create.',
      }),
    );

  async function revoke({ id, name }: Key) {
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

function accessOf({ servers, tools, prompts, resources, groups }: Key): string[] {
  return [
    ...servers,
    ...tools,
    ...prompts.map((one) => `prompt ${one}`),
    ...resources.map((one) => `resource ${one}`),
    ...groups.map((one) => `group ${one}`),
  ];
}

const permissionsOf = ({ admin: isAdmin, adminReadOnly, edit, readOnly, mcpMode }: Key) =>
  listed(
    [
      ...(isAdmin ? [adminReadOnly ? 'admin (read-only)' : 'admin'] : []),
      ...(edit ? ['edit'] : []),
      ...(readOnly ? ['read-only tools'] : []),
      ...(mcpMode ? [`MCP mode ${mcpMode}`] : []),
    ],
    'calls',
  );

const patterns = (title: string, description: string) => ({
  type: 'array',
  items: { type: 'string' },
  title,
  description,
});

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'Shown in logs and in the audit log.' },
    servers: patterns('Allowed servers', 'For example time or git*. Empty: all servers.'),
    tools: patterns('Allowed tools', 'For example git/log. Anything else on that server is denied.'),
    prompts: patterns('Allowed prompts', 'For example git/*.'),
    resources: patterns('Allowed resources', 'For example docs/file:///public/*.'),
    groups: patterns('Groups', 'Only the servers and tools of these groups.'),
    readOnly: { type: 'boolean', title: 'Only read-only tools' },
    admin: { type: 'boolean', title: 'Admin: reload, restart servers, read logs and the audit log' },
    adminReadOnly: { type: 'boolean', title: 'Restrict the admin permission to reading' },
    edit: { type: 'boolean', title: 'Edit: change servers and keys, and therefore run any command' },
    rate: { type: 'string', title: 'Rate limit', description: 'For example 100/m.' },
    resultLimit: {
      type: 'integer',
      title: 'Maximum characters of a tool result',
      description: 'At least 4000; 0 for no limit. Empty: the limit of the manager.',
    },
    mcpMode: {
      type: 'string',
      enum: ['all', 'search', 'code'],
      title: 'MCP mode',
      description: 'Tools at the MCP endpoint. Empty: the mode of the group or of the manager.',
    },
    expires: { type: 'string', title: 'Expiry', description: 'For example 30d or 2027-01-31. Empty: never.' },
  },
};

/** A form for a new key. The key is shown once. */
export async function showNewKey({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  const back = element('p', {}, element('a', { href: '#/keys' }, 'All keys'));
  if (!caller.edit) {
    root.append(back, element('p', {}, EDIT_HINT));
    return;
  }
  root.append(
    back,
    formOf(SCHEMA, {
      submit: 'Create key',
      async onSubmit(body) {
        const { data } = await session.call<Static<typeof createdKeyBody>>(admin('keys'), { body });
        const shown = secretOnce({ name: `API key ${data.record.name}`, secret: data.key });
        root.replaceChildren(back, shown);
        // Removing the form also removed the focus.
        shown.querySelector('button')?.focus();
      },
    }),
  );
}
