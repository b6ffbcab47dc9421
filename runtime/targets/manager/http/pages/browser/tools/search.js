/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { empty } from '../components/states.js';
import { linkTo } from '../route.js';
import { api } from '../shared/api.js';
import { shortened } from '../shared/text.js';

const LIMIT = 200;

/**
 * The tools of all servers, searched by the server: the best matches first.
 * @param {Place} place
 */
export function showTools({ root, session }) {
  root.append(
    dataTable({
      caption: 'Tools',
      filters: [{ key: 'q', title: 'Search names, descriptions and parameters', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Tool' },
        { key: 'server', title: 'Server' },
        { key: 'title', title: 'Title', cell: ({ title }) => shortened(title ?? '–') },
        {
          key: 'description',
          title: 'Description',
          cell: ({ description }) => shortened(description || '–'),
        },
      ],
      href: ({ server, name }) => linkTo(['tools', server, name]),
      async load({ filters, signal }) {
        const q = filters['q'] ?? '';
        if (q === '') return { rows: [], total: 0 };
        const { data } = await session.call(api('tools'), { query: { q, limit: LIMIT }, signal });
        return { rows: data.tools };
      },
      empty: empty(
        'Search the tools of all servers by what they do, or open a server to see all of its tools.',
        {
          name: 'Show the servers',
          href: '#/',
        },
      ),
    }),
  );
}
