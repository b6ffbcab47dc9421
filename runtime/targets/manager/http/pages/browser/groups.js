/** @import { Place } from './start-app.js' */
import { dataTable } from './components/data-table.js';
import { element } from './dom.js';
import { linkTo } from './route.js';
import { api } from './shared/api.js';
import { localRows } from './shared/local-rows.js';
import { listText } from './shared/patterns.js';

/**
 * The groups of servers and tools, which have endpoints of their own.
 * @param {Place} place
 */
export function showGroups({ root, session, signal }) {
  root.append(
    element(
      'p',
      { class: 'hint' },
      'A group is a part of the servers and tools with an MCP endpoint of its own. The configuration file defines groups as [[groups]].',
    ),
    dataTable({
      caption: 'Groups',
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Group' },
        { key: 'servers', title: 'Servers', cell: ({ servers }) => listText(servers) },
        { key: 'tools', title: 'Tools', cell: ({ tools }) => listText(tools, 'all of its servers') },
        { key: 'prompts', title: 'Prompts', cell: ({ prompts }) => listText(prompts) },
        { key: 'resources', title: 'Resources', cell: ({ resources }) => listText(resources) },
        {
          key: 'endpoint',
          title: 'MCP endpoint',
          cell: ({ name }) => element('code', {}, `/groups/${encodeURIComponent(name)}/mcp`),
        },
      ],
      href: ({ name }) => linkTo(['clients'], { group: name }),
      load: localRows(
        async () => {
          const { data } = await session.call(api('groups'), { signal });
          return data.groups;
        },
        ({ name, servers, tools }) => [name, ...servers, ...tools].join(' '),
      ),
      empty: 'The configuration has no groups.',
    }),
  );
}
