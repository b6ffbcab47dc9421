import { describe, expect, test } from 'vitest';
import { writtenReadings } from '#gateway/requests/guardrails/readings.ts';
import type { GuardrailProfile } from '#gateway/requests/guardrails/guardrail.ts';
import { APIS, eventsIn } from './mask/apis.ts';
import { maskOf, openMasking, patternsOf, rule } from './mask/open-masking.ts';

// Clients decode JSON that a model writes: tool arguments, and responses with a schema. So escapes in it must not
// hide anything.
const IBAN = 'DE12345678901234567890';
const escaped = (text: string): string =>
  Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const LAST = IBAN.replace(/0$/, String.raw`\u0030`);
const profile = patternsOf({ IBAN: String.raw`DE\d{20}` });
const blocking = { ...profile, action: 'block' } as GuardrailProfile;
const request = { requestId: 'r-1', signal: new AbortController().signal };

const WRITTEN: readonly string[] = [
  `{"to":"${IBAN}"}`,
  `{"to":"${LAST}"}`,
  `{"to":"${escaped(IBAN)}"}`,
  // Clients may accept malformed JSON.
  `{"to":"${LAST}"`,
  JSON.stringify({ a: `{"to":"${LAST}"}` }),
];

describe.each(WRITTEN.map((text) => [text]))('%s', (text) => {
  test('escaped text is blocked in a buffered response', async () => {
    const { guardrails, rules } = openMasking({ profile: blocking });
    const { blocked } = await guardrails.checkOutput(rules, `Here it is: ${text}`, request);
    expect(blocked?.reason).toBe('guardrail_violation');
  });

  test('escaped text is blocked in a stream, wherever it is split', async () => {
    const { guardrails, rules } = openMasking({ profile: blocking });
    for (const size of [1, 7, 50]) {
      const guard = guardrails.streamGuard(rules, request, () => undefined);
      const all = `${'x'.repeat(390)}${text}${'y'.repeat(500)}`;
      let blocked = false;
      for (let at = 0; at < all.length && !blocked; at += size)
        blocked = (await guard?.take(all.slice(at, at + size)))?.kind === 'block';
      blocked ||= (await guard?.end())?.kind === 'block';
      expect(blocked).toBe(true);
    }
  });

  test('escaped text is masked in the content and arguments of a buffered response', async () => {
    const { guardrails, masking, rules } = openMasking({ profile });
    const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: text } }];
    const json = { choices: [{ index: 0, message: { content: text, tool_calls: calls } }] };
    const masked = await guardrails.maskOutput(
      rules,
      { bytes: Buffer.from(JSON.stringify(json)), text },
      masking,
    );
    const sent = JSON.parse(Buffer.from(masked?.bytes ?? []).toString());
    const { content, tool_calls: called } = sent.choices[0].message;
    for (const one of [content, called[0].function.arguments]) {
      expect(writtenReadings(one).join('\n')).not.toContain(IBAN);
      expect(one).toContain('[IBAN_1]');
    }
  });
});

describe.each(Object.entries(APIS))('a stream of %s', (_name, { stream, read }) => {
  test.each([LAST, escaped(IBAN)])(
    'escaped text is masked wherever the stream is split: %s',
    async (written) => {
      const text = `{"to":"${written}","n":1}`;
      for (let cut = 1; cut < text.length; cut += 1) {
        const mask = maskOf({ profile, rules: [rule('ids')] });
        const { bytes } = await mask.push(Buffer.from(stream([text.slice(0, cut), text.slice(cut)])));
        const rest = await mask.flush();
        const all = eventsIn(Buffer.concat([bytes, rest.bytes]).toString())
          .map(read)
          .join('');
        expect([cut, all]).toEqual([cut, '{"to":"[IBAN_1]","n":1}']);
      }
    },
  );
});

test('text without escapes has one interpretation, and a long run of backslashes has only a few', () => {
  expect(writtenReadings('plain "text"')).toEqual(['plain "text"']);
  expect(writtenReadings('\\'.repeat(1000)).length).toBeLessThanOrEqual(5);
});
