import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isEstimated, tokensOf } from '#gateway/requests/completions/settle-request.ts';
import { countFrames } from '#gateway/providers/streams/frames.ts';
import { createTally } from '#gateway/providers/streams/tally.ts';
import { checkedDecoder } from '#gateway/providers/wires/chat/format.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { counter, counts, GUESS, MODEL, STREAMS, told } from './interrupted-streams.ts';

const CASES = STREAMS.flatMap(({ file, decoder, steps }) =>
  steps.map((step, index) => ({ file, decoder, events: steps.slice(0, index + 1), step, index: index + 1 })),
);

test.each(CASES)(
  '$file: a stream cut after event $index is billed for reported and sent tokens',
  ({ decoder, events, step }) => {
    const decode = checkedDecoder(decoder(), { isTranslated: false });
    const tally = createTally();
    for (const { name, event } of events) {
      const data = typeof event === 'string' ? event : JSON.stringify(event);
      countFrames([{ bytes: Buffer.from(data), step: decode(name, data) }], tally, false);
    }
    const summary = tally.summary();
    const tokens = tokensOf(MODEL, summary, { prompt: GUESS, output: 1000, counts });
    const [prompt, completion, cached = 0, written = 0] = step.booked;
    expect(tokens).toMatchObject({
      promptTokens: prompt,
      completionTokens: completion,
      cachedTokens: cached,
      cacheWriteTokens: written,
    });
    expect(isEstimated(summary)).toBe(step.estimated);
  },
);

test('this test covers every stream decoder', () => {
  const folder = join(ROOT, 'runtime/targets/gateway/providers/adapters');
  const decoders = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    if (!name.endsWith('.ts')) return [];
    const text = readFileSync(join(folder, name), 'utf8');
    const found = text.matchAll(
      /\): EventDecoder[^;]*?\{|: EventDecoder<unknown> = |decoder: \(\) => \(event/g,
    );
    return [...found].map(() => name);
  });
  expect(decoders.toSorted()).toEqual(STREAMS.map(({ file }) => file).toSorted());
});

test('a reported prompt token count of 0 is treated as unknown, so that the prompt is not free', () => {
  const tally = createTally();
  tally.report({ prompt_tokens: 0, completion_tokens: 1 });
  tally.report(null);
  const { usage } = tally.summary();
  expect(usage).toMatchObject({ promptTokens: undefined, completionTokens: 1 });
});

test('a long output is estimated from its stored beginning', () => {
  const tally = createTally();
  const line = 'All happy families are alike; each unhappy family is unhappy in its own way.\n';
  const long = line.repeat(1000);
  tally.add({ choices: [{ index: 0, delta: { content: long } }], usage: told(10, 20_000) });
  tally.add({ choices: [{ index: 0, delta: { content: long } }] });
  const { completionTokens } = tokensOf(MODEL, tally.summary(), { prompt: 1, output: 1, counts });
  const rest = completionTokens - 20_000;
  const exact = counter.output(MODEL, line) * 1000;
  expect(Math.abs(rest / exact - 1)).toBeLessThan(0.02);
});
