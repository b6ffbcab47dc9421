/** @import { Column } from '../components/data-table.js' */
/** @import { Session } from '../session.js' */
import { dataTable } from '../components/data-table.js';
import { empty } from '../components/states.js';
import { api } from '../shared/api.js';
import { shortened } from '../shared/text.js';

/** A user who does not find an item among these writes more words. */
const LIMIT = 100;

/** The column with the description of an item. */
export const DESCRIPTION = {
  key: 'description',
  title: 'Description',
  cell: (/** @type {any} */ { description }) => shortened(description || '–'),
};

/**
 * The tools, prompts or resources of all servers, searched by the manager: the best matches first.
 * @param {Session} session
 * @param {object} options
 * @param {'tools' | 'prompts' | 'resources'} options.list
 * @param {string} options.searched what a search compares with
 * @param {readonly Column<any>[]} options.columns
 * @param {(row: any) => string} options.href
 */
export function searchTable(session, { list, searched, columns, href }) {
  return dataTable({
    caption: list.charAt(0).toUpperCase() + list.slice(1),
    filters: [{ key: 'q', title: `Search ${searched}`, kind: 'text' }],
    columns,
    href,
    async load({ filters, signal }) {
      const q = filters['q'] ?? '';
      if (q === '') return { rows: [], total: 0 };
      const { data } = await session.call(api(list), { query: { q, limit: LIMIT }, signal });
      const rows = data[list];
      return rows.length < LIMIT ? { rows } : { rows, status: `The best ${LIMIT} matches` };
    },
    empty: empty(
      `Search the ${list} of all servers by what they do, or open a server to see all of its ${list}.`,
      { name: 'Show the servers', href: '#/' },
    ),
  });
}
