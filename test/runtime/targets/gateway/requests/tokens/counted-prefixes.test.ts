import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPrefixCounts } from '#gateway/requests/tokens/counted-prefixes.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';

/** Counts characters instead of tokens, and records which texts were counted. */
function createRecorder(maxPrefixes?: number) {
  const prefixes = createPrefixCounts(maxPrefixes);
  return (texts: readonly string[], { repeated = 0, scope = 'ada' } = {}) => {
    const counted: string[] = [];
    const tokens = prefixes.count({ texts, repeated }, scope, (some) => {
      counted.push(...some);
      return some.reduce((sum, { length }) => sum + length, 0);
    });
    return { tokens, counted: counted.map((text) => text[0]) };
  };
}

/** A text of 600 characters that starts with a letter. */
const text = (letter: string): string => letter.padEnd(600, ' words of a message');

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(text) as [string, string, string, string];

test('of a conversation that is sent again, only the new messages are counted', () => {
  const count = createRecorder();
  expect(count([a, b])).toEqual({ tokens: 1200, counted: ['a', 'b'] });
  expect(count([a, b])).toEqual({ tokens: 1200, counted: [] });
  expect(count([a, b, c, d])).toEqual({ tokens: 2400, counted: ['c', 'd'] });
});

test('the texts before the last message are counted once for different last messages', () => {
  const count = createRecorder();
  expect(count([a, b, c], { repeated: 2 }).counted).toEqual(['a', 'b', 'c']);
  expect(count([a, b, d], { repeated: 2 })).toEqual({ tokens: 1800, counted: ['d'] });
});

test('counts of one owner are not used for another owner', () => {
  const count = createRecorder();
  count([a, b]);
  expect(count([a, b], { scope: 'bob' }).counted).toEqual(['a', 'b']);
});

test('texts of the same lengths with any difference are counted', () => {
  const count = createRecorder();
  count([a, b]);
  expect(count([a, `${b.slice(0, -1)}!`]).counted).toEqual(['a', 'b']);
  expect(count([a.slice(0, -1), `x${b}`]).counted).toEqual(['a', 'x']);
});

test('short prompts are not kept, and the oldest prefixes are dropped', () => {
  const count = createRecorder(2);
  count(['short']);
  expect(count(['short']).counted).toEqual(['s']);
  const [two, three] = [`${b}.`, `${c}..`];
  for (const one of [a, two]) count([one]);
  expect(count([a]).counted).toEqual([]);
  count([three]);
  expect(count([a]).counted).toEqual([]);
  expect(count([two]).counted).toEqual(['b']);
});

test('any sequence of prompts has the same counts as without kept prefixes', () => {
  const pool = fc.constantFrom(a, b, c, 'short', '', '\ud800', 'x'.repeat(20_000), '字'.repeat(12_000));
  const prompts = fc.array(
    fc
      .array(pool, { maxLength: 5 })
      .chain((texts) => fc.tuple(fc.constant(texts), fc.nat({ max: texts.length }))),
  );
  fc.assert(
    fc.property(prompts, (sequence) => {
      const count = createRecorder();
      for (const [texts, repeated] of sequence) {
        const expected = texts.reduce((sum, { length }) => sum + length, 0);
        expect(count(texts, { repeated }).tokens).toBe(expected);
      }
    }),
  );
});

const counter = createTokenCounter();
await counter.loading(['openai:gpt-4o']);

const tools = [{ type: 'function', function: { name: 'read', description: text('t') } }];

test.each([
  ['messages', (turns: readonly object[]) => ({ messages: turns, tools })],
  ['input', (turns: readonly object[]) => ({ instructions: a, input: turns, tools })],
  ['contents', (turns: readonly object[]) => ({ contents: turns, systemInstruction: a })],
])('an owner’s prompt with %s has the same count as without an owner', (_member, body) => {
  const turns: object[] = [];
  for (let turn = 0; turn < 40; turn += 1) {
    turns.push({ role: 'user', content: `${turn} ${text('q')}`, parts: [{ text: `part ${turn}` }] });
    const prompt = body(turns);
    const { tokens } = counter.prompt('openai:gpt-4o', prompt, 'ada');
    const whole = counter.prompt('openai:gpt-4o', prompt).tokens;
    // Up to 16,384 characters, both counts are exact. Above, only the prompt without an owner is sampled.
    const allowed = JSON.stringify(prompt).length <= 16_384 ? 0 : 0.05;
    expect(Math.abs(tokens / whole - 1)).toBeLessThanOrEqual(allowed);
  }
});
