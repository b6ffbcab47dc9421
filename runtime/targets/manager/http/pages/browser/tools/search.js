/** @import { Place } from '../start-app.js' */
import { linkTo } from '../route.js';
import { DESCRIPTION, searchTable } from '../search/search-table.js';
import { shortened } from '../shared/text.js';

/**
 * The tools of all servers.
 * @param {Place} place
 */
export function showTools({ root, session }) {
  root.append(
    searchTable(session, {
      list: 'tools',
      searched: 'names, descriptions and parameters',
      columns: [
        { key: 'name', title: 'Tool' },
        { key: 'server', title: 'Server' },
        { key: 'title', title: 'Title', cell: ({ title }) => shortened(title ?? '–') },
        DESCRIPTION,
      ],
      href: ({ server, name }) => linkTo(['tools', server, name]),
    }),
  );
}
