import { describe, expect, test } from 'vitest';
import { createPlaceholders } from '../../../../../../../runtime/targets/gateway/ask/guardrails/mask/placeholders.ts';
import { createStreamRestorer } from '../../../../../../../runtime/targets/gateway/ask/guardrails/mask/restore-stream.ts';

const VALUE = 'Ann "A." Lee';
const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const events = (text: string): Record<string, unknown>[] =>
  text
    .split('\n\n')
    .map((frame) => /^data: (.*)$/m.exec(frame)?.[1] ?? '')
    .filter((data) => data.startsWith('{'))
    .map((data) => JSON.parse(data) as Record<string, unknown>);

interface Api {
  /** Events that bring the pieces of a text, and those around them. */
  readonly stream: (pieces: readonly string[]) => string;
  /** The text that a client puts together. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it looks into events.
  readonly read: (event: any) => string;
  readonly isJson?: boolean;
}
const DONE = event('[DONE]');
const chatEvents = (deltas: readonly object[]): string =>
  deltas
    .map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
    .map((data) => event(data))
    .join('') +
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  DONE;
const argumentsOf = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] });

const APIS: Readonly<Record<string, Api>> = {
  chat: {
    stream: (pieces) => chatEvents(pieces.map((content) => ({ content }))),
    read: ({ choices }) => choices[0].delta.content ?? '',
  },
  'arguments of a tool': {
    stream: (pieces) => chatEvents(pieces.map(argumentsOf)),
    read: ({ choices }) => choices[0].delta.tool_calls?.[0].function.arguments ?? '',
    isJson: true,
  },
  messages: {
    stream: (pieces) =>
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
      pieces
        .map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }))
        .join(event({ type: 'ping' }, 'ping')) +
      event({ type: 'content_block_stop', index: 0 }) +
      event({ type: 'message_stop' }),
    read: ({ type, delta }) => (type === 'content_block_delta' ? delta.text : ''),
  },
  responses: {
    stream: (pieces) =>
      pieces
        .map((delta) => event({ type: 'response.output_text.delta', item_id: 'i', content_index: 0, delta }))
        .join('') + event({ type: 'response.output_text.done', item_id: 'i', text: pieces.join('') }),
    read: ({ type, delta }) => (type === 'response.output_text.delta' ? delta : ''),
  },
  gemini: {
    stream: (pieces) =>
      pieces
        .map((text) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }))
        .join('') + event({ usageMetadata: { totalTokenCount: 3 } }),
    read: ({ candidates }) => candidates?.[0].content.parts[0].text ?? '',
  },
  completions: {
    stream: (pieces) => pieces.map((text) => event({ choices: [{ index: 0, text }] })).join('') + DONE,
    read: ({ choices }) => choices[0].text,
  },
};

describe.each(Object.entries(APIS))('%s', (_name, { stream, read, isJson = false }) => {
  const text = 'Hi [PER_1], [x] [PER_2] [PER_1]: [PE';
  const written = isJson ? JSON.stringify(VALUE).slice(1, -1) : VALUE;
  const restored = `Hi ${written}, [x] [PER_2] ${written}: [PE`;
  const placeholders = createPlaceholders('');
  placeholders.of('PER', VALUE);

  test('a placeholder is restored wherever it is cut, in events and in bytes', () => {
    for (let cut = 1; cut < text.length; cut += 1) {
      const pieces = [text.slice(0, cut), text.slice(cut, cut + 2), text.slice(cut + 2)];
      const bytes = Buffer.from(stream(pieces));
      const restorer = createStreamRestorer(placeholders);
      const out = [bytes.subarray(0, cut * 7), bytes.subarray(cut * 7)].map((part) => restorer.push(part));
      const all = Buffer.concat([...out, restorer.end()]).toString();
      expect(events(all).map(read).join(''), String(cut)).toBe(restored);
    }
  });

  test('each letter alone', () => {
    const restorer = createStreamRestorer(placeholders);
    const out = Array.from(stream(Array.from(text)), (letter) =>
      restorer.push(Buffer.from(letter)).toString(),
    );
    const all = out.join('') + restorer.end().toString();
    expect(events(all).map(read).join('')).toBe(restored);
  });
});

test('complete texts, other events and comments', () => {
  const placeholders = createPlaceholders('');
  placeholders.of('PER', VALUE);
  const restorer = createStreamRestorer(placeholders);
  const { stream } = APIS['responses'] ?? { stream: () => '' };
  const all = restorer.push(Buffer.from(`: keepalive\n\n${stream(['[PER_', '1]'])}`)).toString();
  expect(all.startsWith(': keepalive\n\n')).toBe(true);
  expect(events(all).at(-1)).toEqual({ type: 'response.output_text.done', item_id: 'i', text: VALUE });
  expect(restorer.push(Buffer.from('event: x\ndata: {"a":"[PER_1]"}\n\n')).toString()).toBe(
    `event: x\ndata: ${JSON.stringify({ a: VALUE })}\n\n`,
  );
  expect(restorer.push(Buffer.from('data: {broken\n\n')).toString()).toBe('data: {broken\n\n');
});
