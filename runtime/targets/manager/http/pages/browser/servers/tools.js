/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { linkTo } from '../route.js';
import { api } from '../shared/api.js';
import { readCaller } from '../shared/caller.js';
import { localRows } from '../shared/local-rows.js';
import { shortened } from '../shared/text.js';
import { serverHead } from './head.js';

/**
 * The tools of a server.
 * @param {Place} place
 */
export async function showServerTools(place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  root.append(
    serverHead(place, 'tools', caller),
    dataTable({
      caption: `Tools of ${name}`,
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Tool' },
        { key: 'title', title: 'Title', cell: ({ title }) => shortened(title ?? '–') },
        {
          key: 'description',
          title: 'Description',
          cell: ({ description }) => shortened(description || '–'),
        },
      ],
      href: (tool) => linkTo(['tools', name, tool.name]),
      load: localRows(
        async () => {
          const { data } = await session.call(api('servers', name, 'tools'), {
            query: { detail: 'summary' },
            signal,
          });
          return /** @type {any[]} */ (data.tools ?? []);
        },
        (tool) => `${tool.name} ${tool.title ?? ''} ${tool.description}`,
      ),
      empty: 'This server has no tools that the key can use.',
    }),
  );
}
