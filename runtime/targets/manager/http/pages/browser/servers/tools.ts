import type { ListedTool } from '../shared/listed.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { api, readCaller } from '../shared/caller.ts';
import { localRows, shortened } from '../shared/parts.ts';
import { serverHead } from './head.ts';

/** A server's tools. */
export async function showServerTools(place: Place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  root.append(
    serverHead(place, 'tools', caller),
    dataTable<ListedTool>({
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
      load: localRows<ListedTool>(
        async () => {
          const { data } = await session.call<{ readonly tools: readonly ListedTool[] | null }>(
            api('servers', name, 'tools'),
            {
              query: { detail: 'summary' },
              signal,
            },
          );
          return data.tools ?? [];
        },
        (tool) => `${tool.name} ${tool.title ?? ''} ${tool.description}`,
      ),
      empty: 'This server has no tools that the key can use.',
    }),
  );
}
