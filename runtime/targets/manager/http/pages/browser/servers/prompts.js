/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { linkTo } from '../route.js';
import { api } from '../shared/api.js';
import { readCaller } from '../shared/caller.js';
import { withoutSupport } from '../shared/without-support.js';
import { localRows } from '../shared/local-rows.js';
import { shortened } from '../shared/text.js';
import { serverHead } from './head.js';
import { listed } from '../dom.js';

/**
 * The prompts of a server.
 * @param {Place} place
 */
export async function showPrompts(place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const path = api('servers', name, 'prompts');
  root.append(
    serverHead(place, 'prompts', caller),
    dataTable({
      caption: `Prompts of ${name}`,
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: [
        { key: 'name', title: 'Prompt' },
        {
          key: 'description',
          title: 'Description',
          cell: ({ description }) => shortened(description ?? '–'),
        },
        {
          key: 'arguments',
          title: 'Arguments',
          cell: ({ arguments: list }) => listed(list?.map((/** @type {any} */ one) => one.name)),
        },
      ],
      href: (prompt) => linkTo(['servers', name, 'prompts', prompt.name]),
      load: localRows(
        async () =>
          withoutSupport(async () => {
            const { data } = await session.call(path, { signal });
            return data.prompts ?? [];
          }),
        (prompt) => `${prompt.name} ${prompt.description ?? ''}`,
      ),
      empty: 'This server has no prompts that the key can use.',
    }),
  );
}
