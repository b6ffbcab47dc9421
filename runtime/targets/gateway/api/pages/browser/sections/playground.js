/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { failed } from '../components/states.js';
import { element } from '../dom.js';
import { count, duration, short } from '../format.js';
import { streamChat } from '../parts/stream-chat.js';
import { ServerError } from '../server.js';

/** @type {readonly GatewaySection[]} */
export const PLAYGROUND = [
  {
    path: 'playground',
    name: 'Playground',
    group: 'Usage',
    async show({ root, session, signal }) {
      const [{ data: models }, { data: me }] = await Promise.all([
        session.call('v1/models', { signal }),
        session.call('v1/me', { signal }),
      ]);
      root.append(...playground(session, models.data, me, signal));
    },
  },
];

/**
 * @param {Session} session
 * @param {readonly any[]} models
 * @param {any} me
 * @param {AbortSignal} leaving
 */
function playground(session, models, me, leaving) {
  const options = element(
    'datalist',
    { id: 'playground-models' },
    ...models.map(({ id }) => element('option', { value: id })),
  );
  const sides = [side('First model', 'first', models[0]?.id ?? ''), side('Second model', 'second', '')];
  const system = area('System prompt', 'playground-system', 2);
  const prompt = area('Prompt', 'playground-prompt', 5);
  const user = field('User who pays', 'playground-user', 'text', '');
  const key = field('Key that calls models', 'playground-key', 'password', '');
  const limit = field('Maximum output tokens', 'playground-limit', 'number', '512');
  const temperature = field('Temperature', 'playground-temperature', 'number', '');
  temperature.input.step = '0.1';
  const send = element('button', { type: 'submit' }, 'Send');
  const stop = element('button', { type: 'button', class: 'quiet', disabled: true }, 'Stop');
  const form = element(
    'form',
    { class: 'playground', novalidate: true, 'aria-label': 'Request' },
    options,
    element('div', { class: 'columns' }, ...sides.map(({ choice }) => choice)),
    system.node,
    prompt.node,
    element(
      'div',
      { class: 'filters' },
      limit.node,
      temperature.node,
      // A key that manages calls no models.
      ...(me.scope === 'master' ? [user.node] : me.scope === 'manage' ? [key.node] : []),
    ),
    element('div', { class: 'actions' }, send, stop),
  );
  let running = new AbortController();
  leaving.addEventListener('abort', () => running.abort());
  stop.addEventListener('click', () => running.abort());

  const run = async () => {
    const chosen = sides.filter(({ model }) => model() !== '');
    if (prompt.input.value.trim() === '' || chosen.length === 0) {
      (chosen.length === 0 ? sides[0]?.input : prompt.input)?.focus();
      return;
    }
    running.abort();
    running = new AbortController();
    const { signal } = running;
    form.setAttribute('aria-busy', 'true');
    stop.disabled = false;
    const messages = [
      ...(system.input.value.trim() === '' ? [] : [{ role: 'system', content: system.input.value }]),
      { role: 'user', content: prompt.input.value },
    ];
    const body = {
      messages,
      ...numberIn('max_tokens', limit.input),
      ...numberIn('temperature', temperature.input),
      ...(user.input.value.trim() === '' ? {} : { user: user.input.value.trim() }),
    };
    await Promise.all(
      chosen.map(({ model, answer }) =>
        ask(session, { ...body, model: model() }, { key: key.input.value.trim(), answer, signal }),
      ),
    );
    if (running.signal !== signal) return;
    form.removeAttribute('aria-busy');
    stop.disabled = true;
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run();
  });
  return [form, element('div', { class: 'columns answers' }, ...sides.map(({ answer }) => answer.node))];
}

/**
 * @param {Session} session
 * @param {Record<string, unknown>} body
 * @param {{ key: string, answer: ReturnType<typeof answerOf>, signal: AbortSignal }} options
 */
async function ask(session, body, { key, answer, signal }) {
  answer.begin(String(body['model']));
  const started = performance.now();
  let first = 0;
  try {
    const usage = await streamChat(
      session,
      { ...body, stream: true },
      {
        key,
        signal,
        onText(text) {
          first ||= performance.now() - started;
          answer.add(text);
        },
      },
    );
    const total = performance.now() - started;
    const output = usage?.completion_tokens;
    const speed = output && total > first ? (output * 1000) / (total - first) : undefined;
    answer.end([
      `First output after ${duration(first)}, all after ${duration(total)}.`,
      usage ? `${count(usage.prompt_tokens)} input and ${count(output)} output tokens.` : '',
      speed === undefined ? '' : `${short(speed)} tokens per second.`,
    ]);
  } catch (error) {
    if (signal.aborted) answer.end(['Stopped.']);
    else if (error instanceof ServerError) answer.fail(error);
    else throw error;
  }
}

/**
 * @param {string} title
 * @param {string} id
 * @param {string} value
 */
function side(title, id, value) {
  const { node, input } = field(title, `playground-${id}`, 'text', value);
  input.setAttribute('list', 'playground-models');
  return { choice: node, input, model: () => input.value.trim(), answer: answerOf(title) };
}

/** @param {string} title */
function answerOf(title) {
  const heading = element('h2', {}, title);
  const text = element('div', {
    class: 'answer-text',
    tabindex: 0,
    role: 'region',
    'aria-label': `Answer: ${title.replace(' model', '')}`,
  });
  const status = element('p', { class: 'hint', role: 'status' });
  const node = element('section', { class: 'answer' }, heading, text, status);
  return {
    node,
    /** @param {string} model */
    begin(model) {
      heading.textContent = model;
      text.replaceChildren();
      text.setAttribute('aria-busy', 'true');
      status.textContent = 'Waiting for the model …';
    },
    /** @param {string} more */
    add(more) {
      text.append(more);
    },
    /** @param {readonly string[]} words */
    end(words) {
      text.removeAttribute('aria-busy');
      status.textContent = words.filter((one) => one !== '').join(' ');
    },
    /** @param {ServerError} error */
    fail(error) {
      text.removeAttribute('aria-busy');
      text.append(failed(error));
      status.textContent = '';
    },
  };
}

/**
 * @param {string} name
 * @param {HTMLInputElement} input
 */
const numberIn = (name, input) => (input.value.trim() === '' ? {} : { [name]: Number(input.value) });

/**
 * @param {string} title
 * @param {string} id
 * @param {string} type
 * @param {string} value
 */
function field(title, id, type, value) {
  const input = element('input', { id, type, autocomplete: 'off', value });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}

/**
 * @param {string} title
 * @param {string} id
 * @param {number} rows
 */
function area(title, id, rows) {
  const input = element('textarea', { id, rows });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}
