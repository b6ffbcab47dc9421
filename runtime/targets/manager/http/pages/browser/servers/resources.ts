import type { ListedResource } from '../shared/listed.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { type Block, resourceBlock } from '../results/content.ts';
import { api, readCaller, withoutSupport } from '../shared/caller.ts';
import { localRows, shortened } from '../shared/parts.ts';
import { serverHead } from './head.ts';

/** A server's resources and templates, and the content of one resource. */
export async function showResources(place: Place) {
  const { root, params, query, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const path = api('servers', name, 'resources');
  const content = element('section', { 'aria-live': 'polite', 'aria-label': 'Content' });

  async function read(uri: string) {
    const { data } = await session.call<readonly Block[] | null>(`${path}/content`, {
      query: { uri },
      signal,
    });
    content.replaceChildren(element('h2', { tabindex: -1 }, 'Content'), ...(data ?? []).map(resourceBlock));
    content.querySelector('h2')?.focus();
  }
  /** The form with the URI; buttons in the tables fill it in. */
  let form = addressForm('');
  function addressForm(uri: string) {
    return formOf<{ readonly uri: string }>(
      {
        type: 'object',
        required: ['uri'],
        properties: {
          uri: {
            type: 'string',
            title: 'Address (URI)',
            description: 'For a template, replace the parts in braces.',
          },
        },
      },
      { values: { uri }, submit: 'Read', onSubmit: (value) => read(value.uri) },
    );
  }
  function choose(uri: string, isComplete: boolean) {
    const next = addressForm(uri);
    form.replaceWith(next);
    form = next;
    if (isComplete) next.requestSubmit();
    else next.querySelector('input')?.focus();
  }
  const columns = (key: string, title: string, isComplete: boolean) => [
    {
      key,
      title,
      cell: (item: ListedResource) => {
        const address = item.uri ?? item.uriTemplate ?? '';
        const node = element('button', { type: 'button', class: 'link' }, address);
        node.addEventListener('click', () => choose(address, isComplete));
        return node;
      },
    },
    { key: 'name', title: 'Name', cell: (item: ListedResource) => shortened(item.name) },
    { key: 'mimeType', title: 'Type' },
    {
      key: 'description',
      title: 'Description',
      cell: (item: ListedResource) => shortened(item.description ?? '–'),
    },
  ];

  root.append(
    serverHead(place, 'resources', caller),
    dataTable({
      caption: `Resources of ${name}`,
      filters: [{ key: 'q', title: 'Search', kind: 'text' }],
      columns: columns('uri', 'Resource', true),
      load: localRows(
        () =>
          withoutSupport(async () => {
            const { data } = await session.call<{ readonly resources: readonly ListedResource[] | null }>(
              path,
              { signal },
            );
            return data.resources ?? [];
          }),
        (item) => `${item.uri} ${item.name} ${item.description ?? ''}`,
      ),
      empty: 'This server has no resources that the key can use.',
    }),
    element('h2', {}, 'Templates'),
    dataTable({
      caption: `Resource templates of ${name}`,
      name: 'templates',
      columns: columns('uriTemplate', 'Template', false),
      load: localRows(
        () =>
          withoutSupport(async () => {
            const { data } = await session.call<{ readonly templates: readonly ListedResource[] | null }>(
              `${path}/templates`,
              {
                signal,
              },
            );
            return data.templates ?? [];
          }),
        (item) => item.uriTemplate ?? '',
      ),
      empty: 'This server has no resource templates.',
    }),
    element('h2', {}, 'Read a resource'),
    form,
    content,
  );
  const uri = query.get('uri') ?? '';
  // A template contains placeholders in braces. The user replaces them before reading the resource.
  if (uri !== '') choose(uri, !uri.includes('{'));
}
