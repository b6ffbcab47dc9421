import { describe, expect, test } from 'vitest';
import { createPlaceholders } from '#gateway/requests/guardrails/mask/placeholders.ts';
import { createStreamRestorer } from '#gateway/requests/guardrails/mask/restore.ts';
import { APIS, eventsIn } from './apis.ts';

const VALUE = 'Ann "A." Lee';
describe.each(Object.entries(APIS))('%s', (_name, { stream, read, isJson = false }) => {
  const text = 'Hi [PER_1], [x] [PER_2] [PER_1]: [PE';
  const written = isJson ? JSON.stringify(VALUE).slice(1, -1) : VALUE;
  const restored = `Hi ${written}, [x] [PER_2] ${written}: [PE`;
  const placeholders = createPlaceholders('');
  placeholders.of('PER', VALUE);

  test('a placeholder is restored wherever it is split, in events and in bytes', () => {
    for (let cut = 1; cut < text.length; cut += 1) {
      const pieces = [text.slice(0, cut), text.slice(cut, cut + 2), text.slice(cut + 2)];
      const bytes = Buffer.from(stream(pieces));
      const restorer = createStreamRestorer(placeholders);
      const out = [bytes.subarray(0, cut * 7), bytes.subarray(cut * 7)].map((part) => restorer.push(part));
      const all = Buffer.concat([...out, restorer.end()]).toString();
      expect(eventsIn(all).map(read).join(''), String(cut)).toBe(restored);
    }
  });

  test('a placeholder is restored when it arrives one character at a time', () => {
    const restorer = createStreamRestorer(placeholders);
    const out = Array.from(stream(Array.from(text)), (letter) =>
      restorer.push(Buffer.from(letter)).toString(),
    );
    const all = out.join('') + restorer.end().toString();
    expect(eventsIn(all).map(read).join('')).toBe(restored);
  });
});

test('placeholders in complete texts and other events are restored, and comments are kept', () => {
  const placeholders = createPlaceholders('');
  placeholders.of('PER', VALUE);
  const restorer = createStreamRestorer(placeholders);
  const { stream } = APIS['responses'] ?? { stream: () => '' };
  const all = restorer.push(Buffer.from(`: keepalive\n\n${stream(['[PER_', '1]'])}`)).toString();
  expect(all.startsWith(': keepalive\n\n')).toBe(true);
  expect(eventsIn(all).at(-1)).toEqual({ type: 'response.output_text.done', item_id: 'i', text: VALUE });
  expect(restorer.push(Buffer.from('event: x\ndata: {"a":"[PER_1]"}\n\n')).toString()).toBe(
    `event: x\ndata: ${JSON.stringify({ a: VALUE })}\n\n`,
  );
  expect(restorer.push(Buffer.from('data: {broken\n\n')).toString()).toBe('data: {broken\n\n');
});
