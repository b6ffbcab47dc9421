import type { Static } from 'typebox';
import type { groupsBody } from '#manager/http/schemas/groups.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { api, EDIT_HINT, readCaller } from '../shared/caller.ts';
import { localRows } from '../shared/parts.ts';

type Group = Static<typeof groupsBody>['groups'][number];

const NEW = { name: 'New group', href: '#/new-group' };

/** The groups of servers and tools, each with its own endpoints. */
export async function showGroups({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  root.append(
    element(
      'p',
      { class: 'hint' },
      'A group is a subset of the servers and tools with its own MCP endpoint. Groups are defined as [[groups]] in the configuration file.',
    ),
    caller.edit
      ? element('p', {}, element('a', { href: NEW.href }, NEW.name))
      : element('p', { class: 'hint' }, EDIT_HINT),
    dataTable<Group>({
      caption: 'Groups',
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Group' },
        { key: 'servers', title: 'Servers', cell: ({ servers }) => listed(servers) },
        { key: 'tools', title: 'Tools', cell: ({ tools }) => listed(tools, 'all tools of its servers') },
        { key: 'prompts', title: 'Prompts', cell: ({ prompts }) => listed(prompts) },
        { key: 'resources', title: 'Resources', cell: ({ resources }) => listed(resources) },
        { key: 'mcpMode', title: 'MCP mode' },
        {
          key: 'endpoint',
          title: 'MCP endpoint',
          cell: ({ name }) => element('code', {}, `/groups/${encodeURIComponent(name)}/mcp`),
        },
        {
          key: 'client',
          title: 'Client',
          cell: ({ name }) =>
            element(
              'a',
              { href: linkTo(['clients'], { group: name }), 'aria-label': `Connect ${name}` },
              'Connect',
            ),
        },
      ],
      ...(caller.edit ? { href: ({ name }) => linkTo(['groups', name]) } : {}),
      load: localRows<Group>(
        async () => {
          const { data } = await session.call<Static<typeof groupsBody>>(api('groups'), { signal });
          return data.groups;
        },
        ({ name, servers, tools }) => [name, ...servers, ...tools].join(' '),
      ),
      empty: caller.edit
        ? empty('The configuration contains no groups.', NEW)
        : 'The configuration contains no groups.',
    }),
  );
}
