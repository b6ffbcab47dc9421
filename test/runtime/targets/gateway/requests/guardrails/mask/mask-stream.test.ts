import { array, assert, asyncProperty, constantFrom, nat, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStreamRestorer } from '#gateway/requests/guardrails/mask/restore.ts';
import type { StreamMask } from '#gateway/providers/streams/stream.ts';
import { APIS, event, eventsIn } from './apis.ts';
import { encoder, maskOf, openMasking, patternsOf, PEOPLE, rule } from './open-masking.ts';

const TEXT = 'Pay DE89 3704 0044 0532 to eve@example.com. eve@example.com, sk-"ab12 or [x] AT12.';
const MASKED = 'Pay [IBAN_1] to [MAIL_1]. [MAIL_1], [KEY_1] or [x] AT12.';

/** The output for these parts of a stream. */
async function sent(mask: StreamMask, parts: readonly string[]): Promise<string> {
  const pieces: string[] = [];
  for (const part of parts) {
    const { bytes, blocked } = await mask.push(Buffer.from(part));
    if (blocked) throw blocked;
    pieces.push(Buffer.from(bytes).toString());
  }
  const rest = await mask.flush();
  if (rest.blocked) throw rest.blocked;
  return pieces.join('') + Buffer.from(rest.bytes).toString();
}

describe.each(Object.entries(APIS))('%s', (_name, { stream, read, isJson = false }) => {
  const text = isJson ? JSON.stringify({ [TEXT]: 1, b: [TEXT], n: 12_345 }) : TEXT;
  const masked = isJson ? JSON.stringify({ [TEXT]: 1, b: [MASKED], n: 12_345 }) : MASKED;

  test('output is masked wherever it is split, in events and in bytes', async () => {
    for (let cut = 1; cut < text.length; cut += 1) {
      const pieces = [text.slice(0, cut), text.slice(cut, cut + 2), text.slice(cut + 2)];
      const bytes = stream(pieces);
      const all = await sent(maskOf({}), [bytes.slice(0, cut * 7), bytes.slice(cut * 7)]);
      expect(eventsIn(all).map(read).join(''), String(cut)).toBe(masked);
      expect(all).not.toMatch(isJson ? /"b\\":\[\\"Pay DE/ : /0044|eve@|ab12/);
    }
  });

  test('output is masked when it arrives one character at a time', async () => {
    const all = await sent(maskOf({}), Array.from(stream(Array.from(text))));
    expect(eventsIn(all).map(read).join('')).toBe(masked);
  });

  test('masked values from the request are restored, and values that occur only in the response stay masked', async () => {
    const opened = openMasking({ body: { a: '[PER_1]' } });
    expect(opened.placeholders.of('PER', 'Ann "A." Lee')).toBe('[PER_2]');
    const mask = opened.guardrails.streamMask(opened.rules, opened.masking, () => undefined);
    const restorer = createStreamRestorer(opened.placeholders);
    const said = 'Hi [PER_2] and a@b.de, Ann "A." Lee!';
    const json = isJson ? JSON.stringify({ said }) : said;
    const all = await sent(mask as StreamMask, [stream([json.slice(0, 9), json.slice(9)])]);
    const restored = restorer.push(Buffer.from(all)).toString() + restorer.end().toString();
    const expected = 'Hi Ann "A." Lee and [MAIL_1], Ann "A." Lee!';
    expect(eventsIn(restored).map(read).join('')).toBe(
      isJson ? JSON.stringify({ said: expected }) : expected,
    );
  });
});

test('text is masked in the same way however it is split', async () => {
  // Longer values are also masked where the pattern does not match them, depending on the text before.
  const profile = patternsOf({ A: 'ab|b', B: 'bb?', C: String.raw`c\b`, D: '^a', E: 'a$', F: 'a?c' });
  const text = string({ unit: constantFrom('a', 'b', 'c', ' ', '[', '1'), maxLength: 24 });
  const { stream, read } = APIS['chat'] ?? { stream: () => '', read: () => '' };
  await assert(
    asyncProperty(text, array(nat(24), { maxLength: 6 }), async (whole, cuts) => {
      const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
      const { guardrails, masking, rules } = openMasking({ profile });
      const answer = { bytes: Buffer.from(whole), type: 'text/plain', text: whole };
      const expected = await guardrails.maskOutput(rules, answer, masking);
      const all = await sent(maskOf({ profile }), [stream(pieces)]);
      expect(eventsIn(all).map(read).join('')).toBe(Buffer.from(expected?.bytes ?? '').toString());
    }),
    { numRuns: 300 },
  );
});

test('only text that can be the start of a match is held back', async () => {
  const { stream, read } = APIS['messages'] ?? { stream: () => '', read: () => '' };
  const mask = maskOf({});
  const got = async (piece: string): Promise<string> => {
    const frame = stream([piece]).split('\n\n')[1] ?? '';
    return eventsIn(Buffer.from((await mask.push(Buffer.from(`${frame}\n\n`))).bytes).toString())
      .map(read)
      .join('');
  };
  expect(await got('Hello, ')).toBe('Hello, ');
  expect(await got('to DE8')).toBe('to ');
  expect(await got('9 3704 ')).toBe('');
  expect(await got('x ')).toBe('DE89 3704 x ');
  // A match is never longer than this, so the rest is not held back.
  expect((await got('a'.repeat(3000))).length).toBeGreaterThan(1900);
});

test('names are detected per sentence, or per window in text without sentences', async () => {
  const provider = encoder();
  const { stream, read } = APIS['chat'] ?? { stream: () => '', read: () => '' };
  const text = `I met Anna Smith. She likes Bob ${'and so on '.repeat(60)}with Bob in Lima. Bob`;
  const all = await sent(maskOf({ profile: PEOPLE, provider }), [stream(text.match(/.{1,3}/g) ?? [])]);
  expect(eventsIn(all).map(read).join('')).toBe(
    text.replaceAll('Anna Smith', '[PER_1]').replaceAll('Bob', '[PER_2]').replaceAll('Lima', '[PER_3]'),
  );
  expect(provider.asked[0]).toMatch(/^I met Anna Smith\. /);
  expect(provider.asked.length).toBeLessThan(8);
});

test('unchecked content is not sent unless the rule allows it', async () => {
  const { stream, read } = APIS['chat'] ?? { stream: () => '', read: () => '' };
  const opened = { profile: PEOPLE, provider: encoder(true) };
  await expect(sent(maskOf(opened), [stream(['I met Bob. ', 'Yes'])])).rejects.toMatchObject({
    reason: 'guardrail_unavailable',
  });
  const rules = [rule('people', { onUnavailable: 'monitor' })];
  const all = await sent(maskOf({ ...opened, rules }), [stream(['I met Bob. ', 'Yes'])]);
  expect(eventsIn(all).map(read).join('')).toBe('I met Bob. Yes');
});

test('other members are unchanged, and token probabilities are removed', async () => {
  const call = (parts: object) => event({ candidates: [{ index: 0, content: { role: 'model', parts } }] });
  const args = { name: 'a@b.de', list: ['x', { id: 'a@b.de' }] };
  const all = await sent(maskOf({}), [
    event({
      id: 'a@b.de',
      choices: [{ index: 0, delta: { content: 'x' }, logprobs: { content: [{ token: 'x' }] } }],
    }),
    event({
      type: 'response.output_text.delta',
      item_id: 'a@b.de',
      delta: 'a@b.de',
      logprobs: [{ token: 'a@b' }],
    }),
    event({ type: 'response.output_text.done', item_id: 'a@b.de', text: 'a@b.de' }),
    call([{ text: 'to a@b', thought: true }]),
    call([
      { text: 'to c@d' },
      { functionCall: { name: 'a@b.de', args } },
      { inlineData: { data: 'a@b.de' } },
    ]),
    event({ usageMetadata: { totalTokenCount: 3 } }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'a@b.de', input: args },
    }),
    ': keepalive\n\n',
    event('[DONE]'),
  ]);
  const events = eventsIn(all);
  expect(events.slice(0, 4)).toEqual([
    { id: 'a@b.de', choices: [{ index: 0, delta: { content: '' }, logprobs: null }] },
    { type: 'response.output_text.delta', item_id: 'a@b.de', delta: '', logprobs: [] },
    { id: 'a@b.de', choices: [{ index: 0, delta: { content: 'x' }, logprobs: null }] },
    { type: 'response.output_text.delta', item_id: 'a@b.de', delta: '[MAIL_1]', logprobs: [] },
  ]);
  expect(all).toContain('{"inlineData":{"data":"a@b.de"}}');
  const masked = { name: '[MAIL_1]', list: ['x', { id: '[MAIL_1]' }] };
  expect(JSON.stringify(events)).toContain(
    JSON.stringify({ functionCall: { name: 'a@b.de', args: masked } }),
  );
  // The call is not repeated with the remaining text that arrived with it.
  expect(all.match(/functionCall/g)).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ content_block: { id: 'a@b.de', input: masked } });
  expect(all.endsWith(': keepalive\n\ndata: [DONE]\n\n')).toBe(true);
});
