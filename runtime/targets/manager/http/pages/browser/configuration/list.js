/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { badge, facts } from '../components/facts.js';
import { empty } from '../components/states.js';
import { element } from '../dom.js';
import { linkTo } from '../route.js';
import { admin } from '../shared/api.js';
import { EDIT_HINT, readCaller } from '../shared/caller.js';

/**
 * All servers in the configuration file, also disabled ones.
 * @param {Place} place
 */
export async function showConfigurationFile({ root, session, signal }) {
  const caller = await readCaller(session, signal);
  const about = element('div');
  root.append(
    about,
    caller.edit
      ? element('p', {}, element('a', { href: '#/add' }, 'Add a server'))
      : element('p', { class: 'hint' }, EDIT_HINT),
    dataTable({
      caption: 'Configured servers',
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Server' },
        { key: 'start', title: 'Package, command or URL' },
        {
          key: 'enabled',
          title: 'Enabled',
          cell: ({ enabled }) => (enabled ? badge('yes', 'good') : badge('no')),
        },
        {
          key: 'options',
          title: 'Options',
          cell: ({ lazy, readOnly }) =>
            [...(lazy ? ['starts with the first call'] : []), ...(readOnly ? ['read-only tools'] : [])].join(
              ', ',
            ) || '–',
        },
      ],
      href: ({ name }) => linkTo(['servers', name, ...(caller.edit ? ['configuration'] : [])]),
      async load({ filters, cursor, limit, signal: stop }) {
        const { data } = await session.call(admin('configuration'), {
          query: { ...filters, cursor, limit },
          signal: stop,
        });
        about.replaceChildren(
          facts([
            ['File', element('code', {}, data.path)],
            ...(data.editable ? [] : [/** @type {const} */ (['Editing', 'JSON files are edited by hand.'])]),
          ]),
        );
        return { rows: data.servers, total: data.total, next: data.nextCursor };
      },
      empty: empty('The file has no servers.', { name: 'Add a server', href: '#/add' }),
    }),
  );
}
