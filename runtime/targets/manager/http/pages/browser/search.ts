import type { ListedPrompt } from './shared/listed.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { type Column, dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { api } from './shared/caller.ts';
import { shortened } from './shared/parts.ts';
import type { Static } from 'typebox';
import type { foundResourcesBody, foundToolsBody } from '#manager/http/schemas/search.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { listed } from '#serve/http/pages/browser/dom.ts';

/** Maximum number of matches. Users who do not find an item among them can add search words. */
const LIMIT = 100;

/** The column with item descriptions. */
const DESCRIPTION = {
  key: 'description',
  title: 'Description',
  cell: ({ description }: { readonly description?: string }) => shortened(description || '–'),
};

type List = 'tools' | 'prompts' | 'resources';

interface SearchTableOptions<Row> {
  readonly list: List;
  /** The fields that a search compares. */
  readonly searched: string;
  readonly columns: readonly Column<Row>[];
  readonly href: (row: Row) => string;
}

/** The tools, prompts or resources of all servers. The manager searches them and returns the best matches first. */
function searchTable<Row>(session: Session, { list, searched, columns, href }: SearchTableOptions<Row>) {
  return dataTable({
    caption: list.charAt(0).toUpperCase() + list.slice(1),
    filters: [{ key: 'q', title: `Search ${searched}`, kind: 'text' }],
    columns,
    href,
    async load({ filters, signal }) {
      const q = filters['q'] ?? '';
      if (q === '') return { rows: [], total: 0 };
      const { data } = await session.call<Record<List, readonly Row[]>>(api(list), {
        query: { q, limit: LIMIT },
        signal,
      });
      const rows = data[list];
      return rows.length < LIMIT ? { rows } : { rows, status: `Top ${LIMIT} matches` };
    },
    empty: empty(`Search the ${list} of all servers, or open a server to see all of its ${list}.`, {
      name: 'Show the servers',
      href: '#/',
    }),
  });
}

type FoundPrompt = ListedPrompt & { readonly server: string };

/** The prompts of all servers. */
export function showAllPrompts({ root, session }: Place) {
  root.append(
    searchTable<FoundPrompt>(session, {
      list: 'prompts',
      searched: 'names, descriptions and arguments',
      columns: [
        { key: 'name', title: 'Prompt' },
        { key: 'server', title: 'Server' },
        {
          key: 'arguments',
          title: 'Arguments',
          cell: ({ arguments: list }) => listed(list?.map(({ name }) => name)),
        },
        DESCRIPTION,
      ],
      href: ({ server, name }) => linkTo(['servers', server, 'prompts', name]),
    }),
  );
}

type FoundResource = Static<typeof foundResourcesBody>['resources'][number];

/** The resources and templates of all servers. */
export function showAllResources({ root, session }: Place) {
  root.append(
    searchTable<FoundResource>(session, {
      list: 'resources',
      searched: 'names, descriptions and addresses',
      columns: [
        { key: 'uri', title: 'Resource', cell: ({ uri, uriTemplate }) => uri ?? uriTemplate ?? '' },
        { key: 'server', title: 'Server' },
        { key: 'name', title: 'Name', cell: ({ name }) => shortened(name) },
        { key: 'mimeType', title: 'Type' },
        DESCRIPTION,
      ],
      href: ({ server, uri, uriTemplate }) =>
        linkTo(['servers', server, 'resources'], { uri: uri ?? uriTemplate ?? '' }),
    }),
  );
}

type FoundTool = Static<typeof foundToolsBody>['tools'][number];

/** The tools of all servers. */
export function showTools({ root, session }: Place) {
  root.append(
    searchTable<FoundTool>(session, {
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
