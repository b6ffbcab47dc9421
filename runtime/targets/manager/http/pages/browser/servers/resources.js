/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { formOf } from '../components/form.js';
import { element } from '../dom.js';
import { resourceBlock } from '../results/content.js';
import { api } from '../shared/api.js';
import { readCaller } from '../shared/caller.js';
import { localRows } from '../shared/local-rows.js';
import { shortened } from '../shared/text.js';
import { withoutSupport } from '../shared/without-support.js';
import { serverHead } from './head.js';

/**
 * The resources and templates of a server, and the content of one of them.
 * @param {Place} place
 */
export async function showResources(place) {
  const { root, params, query, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const path = api('servers', name, 'resources');
  const content = element('section', { 'aria-live': 'polite', 'aria-label': 'Content' });

  /** @param {string} uri */
  async function read(uri) {
    const { data } = await session.call(`${path}/content`, { query: { uri }, signal });
    content.replaceChildren(element('h2', { tabindex: -1 }, 'Content'), ...(data ?? []).map(resourceBlock));
    content.querySelector('h2')?.focus();
  }
  /** The form with the address; buttons of the tables fill it in. */
  let form = addressForm('');
  /** @param {string} uri */
  function addressForm(uri) {
    return formOf(
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
  /**
   * @param {string} uri
   * @param {boolean} isComplete
   */
  function choose(uri, isComplete) {
    const next = addressForm(uri);
    form.replaceWith(next);
    form = next;
    if (isComplete) next.requestSubmit();
    else next.querySelector('input')?.focus();
  }
  /**
   * @param {string} key
   * @param {string} title
   * @param {boolean} isComplete
   */
  const columns = (key, title, isComplete) => [
    {
      key,
      title,
      cell: (/** @type {any} */ item) => {
        const node = element('button', { type: 'button', class: 'link' }, item[key]);
        node.addEventListener('click', () => choose(item[key], isComplete));
        return node;
      },
    },
    { key: 'name', title: 'Name', cell: (/** @type {any} */ item) => shortened(item.name) },
    { key: 'mimeType', title: 'Type' },
    {
      key: 'description',
      title: 'Description',
      cell: (/** @type {any} */ item) => shortened(item.description ?? '–'),
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
            const { data } = await session.call(path, { signal });
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
            const { data } = await session.call(`${path}/templates`, { signal });
            return data.templates ?? [];
          }),
        (item) => item.uriTemplate,
      ),
      empty: 'This server has no resource templates.',
    }),
    element('h2', {}, 'Read a resource'),
    form,
    content,
  );
  const uri = query.get('uri') ?? '';
  // A template has parts in braces, which the user replaces before it is read.
  if (uri !== '') choose(uri, !uri.includes('{'));
}
