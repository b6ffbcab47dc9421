/** @import { Place } from '../start-app.js' */
import { formOf } from '../components/form.js';
import { empty } from '../components/states.js';
import { element } from '../dom.js';
import { contentBlock, jsonBlock } from '../results/content.js';
import { linkTo } from '../route.js';
import { api } from '../shared/api.js';

/**
 * A prompt, with a form that fills it in.
 * @param {Place} place
 */
export async function showPrompt({ root, params, session, signal, setTitle }) {
  const { name: server = '', prompt: name = '' } = params;
  setTitle(name);
  const path = api('servers', server, 'prompts');
  const { data } = await session.call(path, { signal });
  const prompt = (data.prompts ?? []).find((/** @type {any} */ one) => one.name === name);
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
    element('p', { class: 'server-text' }, prompt.description ?? 'The server does not describe this prompt.'),
    formOf(
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
          const answer = await session.call(`${path}/${encodeURIComponent(name)}`, {
            body: { arguments: args },
          });
          const messages = answer.data.messages ?? [];
          result.replaceChildren(element('h2', {}, 'Messages'), ...messages.map(messageBlock));
        },
      },
    ),
    result,
  );
}

/** @param {any} message */
const messageBlock = ({ role, content }) =>
  element(
    'div',
    { class: 'result-block' },
    element('p', {}, element('strong', {}, String(role))),
    ...(typeof content === 'object' && content !== null
      ? [content].flat().map(contentBlock)
      : [jsonBlock(content, 'Content')]),
  );
