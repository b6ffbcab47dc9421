import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { models } from '#gateway/api/models.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { count, duration, short } from '#serve/http/pages/browser/format.ts';
import { ServerError, open } from '#serve/http/pages/browser/server.ts';

type Me = Static<typeof me>;

export const PLAYGROUND: readonly GatewaySection[] = [
  {
    path: 'playground',
    name: 'Playground',
    group: 'Usage',
    async show({ root, session, signal }) {
      const [{ data: known }, { data: caller }] = await Promise.all([
        session.call<Static<typeof models>>('v1/models', { signal }),
        session.call<Me>('v1/me', { signal }),
      ]);
      root.append(...playground(session, known.data, caller.scope, signal));
    },
  },
];

function playground(
  session: Session,
  known: readonly { readonly id: string }[],
  scope: Me['scope'],
  leaving: AbortSignal,
) {
  const options = element(
    'datalist',
    { id: 'playground-models' },
    ...known.map(({ id }) => element('option', { value: id })),
  );
  const sides = [side('First model', 'first', known[0]?.id ?? ''), side('Second model', 'second', '')];
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
      // A key of scope `manage` cannot call models.
      ...(scope === 'master' ? [user.node] : scope === 'manage' ? [key.node] : []),
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

async function ask(
  session: Session,
  body: Record<string, unknown>,
  { key, answer, signal }: { key: string; answer: ReturnType<typeof answerOf>; signal: AbortSignal },
) {
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
      `First output after ${duration(first)}, complete after ${duration(total)}.`,
      usage ? `${count(usage.prompt_tokens)} input and ${count(output)} output tokens.` : '',
      speed === undefined ? '' : `${short(speed)} tokens per second.`,
    ]);
  } catch (error) {
    if (signal.aborted) answer.end(['Stopped.']);
    else if (error instanceof ServerError) answer.fail(error);
    else throw error;
  }
}

function side(title: string, id: string, value: string) {
  const { node, input } = field(title, `playground-${id}`, 'text', value);
  input.setAttribute('list', 'playground-models');
  return { choice: node, input, model: () => input.value.trim(), answer: answerOf(title) };
}

function answerOf(title: string) {
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
    begin(model: string) {
      heading.textContent = model;
      text.replaceChildren();
      text.setAttribute('aria-busy', 'true');
      status.textContent = 'Waiting for the model …';
    },
    add(more: string) {
      text.append(more);
    },
    end(words: readonly string[]) {
      text.removeAttribute('aria-busy');
      status.textContent = words.filter((one) => one !== '').join(' ');
    },
    fail(error: ServerError) {
      text.removeAttribute('aria-busy');
      text.append(failed(error));
      status.textContent = '';
    },
  };
}

const numberIn = (name: string, input: HTMLInputElement) =>
  input.value.trim() === '' ? {} : { [name]: Number(input.value) };

function field(title: string, id: string, type: string, value: string) {
  const input = element('input', { id, type, autocomplete: 'off', value });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}

function area(title: string, id: string, rows: number) {
  const input = element('textarea', { id, rows });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}

interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

interface ChatEvent {
  readonly error?: { readonly message?: string };
  readonly usage?: ChatUsage | null;
  readonly choices?: readonly { readonly delta?: { readonly content?: unknown } }[];
}

/**
 * Sends a streaming chat completion; returns its usage if the server reports it. `options`: `key` replaces
 * the session's key.
 */
async function streamChat(
  session: Session,
  body: Record<string, unknown>,
  { key, signal, onText }: { key: string; signal: AbortSignal; onText: (text: string) => void },
): Promise<ChatUsage | undefined> {
  const path = 'v1/chat/completions';
  const request = { body: { ...body, stream_options: { include_usage: true } }, signal };
  const response = await (key === '' ? session.open(path, request) : open(path, { ...request, key }));
  if (!response.body) throw new ServerError('The response has no body.', response.status);
  let usage: ChatUsage | undefined;
  for await (const data of eventsOf(response.body)) {
    if (data === '[DONE]') break;
    const event = JSON.parse(data) as ChatEvent;
    if (event.error) throw new ServerError(event.error.message ?? 'The stream failed.', response.status);
    usage = event.usage ?? usage;
    const text = event.choices?.[0]?.delta?.content;
    if (typeof text === 'string') onText(text);
  }
  return usage;
}

/** The data of server-sent events. */
async function* eventsOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
}
