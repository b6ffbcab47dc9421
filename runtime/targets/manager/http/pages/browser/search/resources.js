/** @import { Place } from '../start-app.js' */
import { linkTo } from '../route.js';
import { shortened } from '../shared/text.js';
import { DESCRIPTION, searchTable } from './search-table.js';

/**
 * The resources and templates of all servers.
 * @param {Place} place
 */
export function showAllResources({ root, session }) {
  root.append(
    searchTable(session, {
      list: 'resources',
      searched: 'names, descriptions and addresses',
      columns: [
        { key: 'uri', title: 'Resource', cell: ({ uri, uriTemplate }) => uri ?? uriTemplate },
        { key: 'server', title: 'Server' },
        { key: 'name', title: 'Name', cell: ({ name }) => shortened(name) },
        { key: 'mimeType', title: 'Type' },
        DESCRIPTION,
      ],
      href: ({ server, uri, uriTemplate }) =>
        linkTo(['servers', server, 'resources'], { uri: uri ?? uriTemplate }),
    }),
  );
}
