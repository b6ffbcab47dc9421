/** @import { Place } from '../start-app.js' */
import { linkTo } from '../route.js';
import { DESCRIPTION, searchTable } from './search-table.js';
import { listed } from '../dom.js';

/**
 * The prompts of all servers.
 * @param {Place} place
 */
export function showAllPrompts({ root, session }) {
  root.append(
    searchTable(session, {
      list: 'prompts',
      searched: 'names, descriptions and arguments',
      columns: [
        { key: 'name', title: 'Prompt' },
        { key: 'server', title: 'Server' },
        {
          key: 'arguments',
          title: 'Arguments',
          cell: ({ arguments: list }) => listed(list?.map((/** @type {any} */ { name }) => name)),
        },
        DESCRIPTION,
      ],
      href: ({ server, name }) => linkTo(['servers', server, 'prompts', name]),
    }),
  );
}
