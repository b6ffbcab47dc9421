/** @import { Place } from '../start-app.js' */
import { dataTable } from '../components/data-table.js';
import { openDialog } from '../components/dialog.js';
import { formOf } from '../components/form.js';
import { element } from '../dom.js';
import { contentBlock, jsonBlock } from '../results/content.js';
import { api } from '../shared/api.js';
import { readCaller } from '../shared/caller.js';
import { withoutSupport } from '../shared/without-support.js';
import { localRows } from '../shared/local-rows.js';
import { listText } from '../shared/patterns.js';
import { shortened } from '../shared/text.js';
import { serverHead } from './head.js';

/**
 * The prompts of a server, with a form that fills them in.
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
        { key: 'name', title: 'Prompt', cell: (prompt) => opener(prompt, () => openPrompt(prompt)) },
        {
          key: 'description',
          title: 'Description',
          cell: ({ description }) => shortened(description ?? '–'),
        },
        {
          key: 'arguments',
          title: 'Arguments',
          cell: ({ arguments: list }) => listText(list?.map((/** @type {any} */ one) => one.name)),
        },
      ],
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

  /** @param {any} prompt */
  function openPrompt(prompt) {
    const list = prompt.arguments ?? [];
    const result = element('div', { class: 'page', 'aria-live': 'polite' });
    const form = formOf(
      {
        type: 'object',
        properties: Object.fromEntries(
          list.map((/** @type {any} */ { name: key, description }) => [key, { type: 'string', description }]),
        ),
        required: list.flatMap((/** @type {any} */ { name: key, required }) => (required ? [key] : [])),
      },
      {
        submit: 'Fill in',
        async onSubmit(args) {
          const { data } = await session.call(`${path}/${encodeURIComponent(prompt.name)}`, {
            body: { arguments: args },
          });
          result.replaceChildren(...(data.messages ?? []).map(message));
        },
      },
    );
    const { dialog } = openDialog({
      title: prompt.name,
      content: [],
      wide: true,
      actions: [{ name: 'Close', kind: 'quiet' }],
    });
    // A form cannot contain another one.
    dialog.append(
      element('div', { class: 'dialog-content' }, element('p', {}, prompt.description ?? ''), form, result),
    );
  }
}

/**
 * @param {any} item
 * @param {() => void} open
 */
function opener({ name }, open) {
  const node = element('button', { type: 'button', class: 'link' }, name);
  node.addEventListener('click', open);
  return node;
}

/** @param {any} message */
const message = ({ role, content }) =>
  element(
    'div',
    { class: 'result-block' },
    element('p', {}, element('strong', {}, String(role))),
    ...(typeof content === 'object' && content !== null
      ? [content].flat().map(contentBlock)
      : [jsonBlock(content, 'Content')]),
  );
