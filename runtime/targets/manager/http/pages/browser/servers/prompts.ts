import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { api, readCaller, withoutSupport } from '../shared/caller.ts';
import { localRows, shortened } from '../shared/parts.ts';
import { serverHead } from './head.ts';
import { listed, element } from '#serve/http/pages/browser/dom.ts';
import type { ListedPrompt, PromptMessage } from '../shared/listed.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { type Block, contentBlock, jsonBlock } from '../results/content.ts';

/** A server's prompts. */
export async function showPrompts(place: Place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  const path = api('servers', name, 'prompts');
  root.append(
    serverHead(place, 'prompts', caller),
    dataTable<ListedPrompt>({
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
          cell: ({ arguments: list }) => listed(list?.map((one) => one.name)),
        },
      ],
      href: (prompt) => linkTo(['servers', name, 'prompts', prompt.name]),
      load: localRows<ListedPrompt>(
        async () =>
          withoutSupport(async () => {
            const { data } = await session.call<{ readonly prompts: readonly ListedPrompt[] | null }>(path, {
              signal,
            });
            return data.prompts ?? [];
          }),
        (prompt) => `${prompt.name} ${prompt.description ?? ''}`,
      ),
      empty: 'This server has no prompts that the key can use.',
    }),
  );
}

/** A prompt, with a form for its arguments. */
export async function showPrompt({ root, params, session, signal, setTitle }: Place) {
  const { name: server = '', prompt: name = '' } = params;
  setTitle(name);
  const path = api('servers', server, 'prompts');
  const { data } = await session.call<{ readonly prompts: readonly ListedPrompt[] | null }>(path, { signal });
  const prompt = (data.prompts ?? []).find((one) => one.name === name);
  const back = element(
    'p',
    {},
    'Prompt of ',
    element('a', { href: linkTo(['servers', server, 'prompts']) }, server),
  );
  if (!prompt) {
    root.append(back, empty(`${server} has no prompt ${name} that the key can use.`));
    return;
  }
  const list = prompt.arguments ?? [];
  const result = element('section', { 'aria-label': 'Messages', 'aria-live': 'polite' });
  root.append(
    back,
    element(
      'p',
      { class: 'server-text' },
      prompt.description ?? 'The server provides no description of this prompt.',
    ),
    formOf(
      {
        type: 'object',
        properties: Object.fromEntries(
          list.map(({ name: key, description }) => [
            key,
            { type: 'string', ...(description === undefined ? {} : { description }) },
          ]),
        ),
        required: list.flatMap(({ name: key, required }) => (required ? [key] : [])),
      },
      {
        submit: 'Fill in',
        async onSubmit(args) {
          const answer = await session.call<{ readonly messages: readonly PromptMessage[] | null }>(
            `${path}/${encodeURIComponent(name)}`,
            {
              body: { arguments: args },
            },
          );
          const messages = answer.data.messages ?? [];
          result.replaceChildren(element('h2', {}, 'Messages'), ...messages.map(messageBlock));
        },
      },
    ),
    result,
  );
}

const messageBlock = ({ role, content }: PromptMessage) =>
  element(
    'div',
    { class: 'result-block' },
    element('p', {}, element('strong', {}, role)),
    ...(typeof content === 'object' && content !== null
      ? ([content].flat() as Block[]).map(contentBlock)
      : [jsonBlock(content, 'Content')]),
  );
