import type { Static } from 'typebox';
import type { configurationBody } from '#manager/http/schemas/configuration.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { badge, facts } from '#serve/http/pages/browser/components/facts.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { admin, EDIT_HINT, readCaller } from '../shared/caller.ts';

type Configuration = Static<typeof configurationBody>;

/** All servers in the configuration file, including disabled ones. */
export async function showConfigurationFile({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  const about = element('div');
  root.append(
    about,
    caller.edit
      ? element('p', {}, element('a', { href: '#/add' }, 'Add a server'))
      : element('p', { class: 'hint' }, EDIT_HINT),
    dataTable<Configuration['servers'][number]>({
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
            [...(lazy ? ['starts on the first call'] : []), ...(readOnly ? ['read-only tools'] : [])].join(
              ', ',
            ) || '–',
        },
      ],
      href: ({ name }) => linkTo(['servers', name, ...(caller.edit ? ['configuration'] : [])]),
      async load({ filters, cursor, limit, signal: stop }) {
        const { data } = await session.call<Configuration>(admin('configuration'), {
          query: { ...filters, cursor, limit },
          signal: stop,
        });
        about.replaceChildren(
          facts([
            ['File', element('code', {}, data.path)],
            ...(data.editable ? [] : [['Editing', 'JSON files can only be edited by hand.'] as const]),
          ]),
        );
        return { rows: data.servers, total: data.total, next: data.nextCursor };
      },
      empty: empty('The file contains no servers.', { name: 'Add a server', href: '#/add' }),
    }),
  );
}
