import { expect, test } from 'vitest';
import { createResultCache } from '#encoder/engine/result-cache.ts';
import type { EngineAnswer, PreparedRequest } from '#encoder/engine/serving.ts';

const VIEW: PreparedRequest['view'] = { kind: 'result', format: 'json', options: {} };
const TIMINGS = { tokenization: 1, queue: 1, inference: 1, total: 3 };
const texts = (...list: string[]): PreparedRequest['inputs'] => list.map((text) => ({ text }));

/** A cache in front of an engine whose result is the text itself; long texts are truncated. */
function setUp(maxBytes = 1_000_000) {
  const runs: { readonly texts: unknown[]; readonly positions: readonly number[] }[] = [];
  const answer = ({ inputs }: PreparedRequest): EngineAnswer => {
    const all = inputs.map((input) => {
      if ('image' in input) return Buffer.from(input.image).toString();
      return 'text' in input ? input.text + (input.pair ?? '') : input.ids.join();
    });
    // As in the engine, all results share one buffer.
    const whole = Buffer.from(all.join(''));
    let end = 0;
    return {
      results: all.map((one) => whole.subarray(end, (end += Buffer.byteLength(one)))),
      tokens: all.map((one) => one.length),
      truncated: [...all.entries()].filter(([, one]) => one.length > 5).map(([at]) => at),
      timings: TIMINGS,
    };
  };
  const cache = createResultCache(maxBytes, async (request) => {
    const { inputs, indexOf = () => -1 } = request;
    runs.push({ texts: [...inputs], positions: inputs.map((_, at) => indexOf(at)) });
    return answer(request);
  });
  const run = async (
    request: Partial<PreparedRequest> & Pick<PreparedRequest, 'inputs'>,
    rule = 'truncate',
  ) => {
    const { results, ...rest } = await cache.submit({ view: VIEW, ...request }, rule as 'truncate');
    return { ...rest, results: results.map((bytes) => Buffer.from(bytes).toString()) };
  };
  return { cache, runs, run };
}

test('only inputs without a known result run, and repeated inputs of a request run once', async () => {
  const { runs, run } = setUp();
  const first = await run({ inputs: texts('a', 'longer', 'a', 'b') });
  expect(first).toEqual({
    results: ['a', 'longer', 'a', 'b'],
    tokens: [1, 6, 1, 1],
    truncated: [1],
    cached: 1,
    timings: TIMINGS,
  });
  const second = await run({ inputs: texts('c', 'longer', 'b') });
  expect(second).toMatchObject({
    results: ['c', 'longer', 'b'],
    tokens: [1, 6, 1],
    truncated: [1],
    cached: 2,
  });
  const third = await run({ inputs: texts('longer', 'c') });
  expect(third).toMatchObject({ results: ['longer', 'c'], truncated: [0], cached: 2 });
  expect(third.timings).toMatchObject({ tokenization: 0, queue: 0, inference: 0 });
  expect(runs).toEqual([
    { texts: texts('a', 'longer', 'b'), positions: [0, 1, 3] },
    { texts: texts('c'), positions: [0] },
  ]);
});

test.each<[string, Partial<PreparedRequest>]>([
  ['view', { view: { kind: 'vector', format: 'base64' } }],
  ['dimensions', { view: { kind: 'result', format: 'json', options: { dimensions: 2 } } }],
  ['role', { role: 'query' }],
  ['adapter', { prompt: { text: '', adapter: 1 } }],
  ['labels', { labels: ['person'] }],
  ['rule for long texts', { overflow: { rule: 'error' } }],
  ['side of truncation', { overflow: { side: 'left' } }],
  ['pair', { inputs: [{ text: 'a', pair: '' }] }],
  ['token ids', { inputs: [{ ids: [1] }] }],
])('another %s is another result', async (_, change) => {
  const { runs, run } = setUp();
  await run({ inputs: texts('a') });
  await run({ inputs: texts('a'), ...change });
  expect(runs).toHaveLength(2);
});

test('a text cannot have the key of a pair or of another text', async () => {
  const { runs, run } = setUp();
  await run({ inputs: [{ text: 'a', pair: 'b' }] });
  await run({ inputs: texts('a","pair":"b', 'a\nb', '\ud800', '\ud801') });
  expect(runs[1]?.texts).toHaveLength(4);
});

test('the least recently used results are removed when their memory exceeds the limit', async () => {
  const { cache, runs, run } = setUp(3 * 201);
  for (const text of ['a', 'b', 'c']) await run({ inputs: texts(text) });
  expect(cache.bytes()).toBe(603);
  await run({ inputs: texts('a') });
  await run({ inputs: texts('d') });
  expect(cache.bytes()).toBe(603);
  expect(await run({ inputs: texts('a', 'c', 'd') })).toMatchObject({ cached: 3 });
  expect(await run({ inputs: texts('b') })).toMatchObject({ cached: 0 });
  expect(runs).toHaveLength(5);
  await run({ inputs: texts('x'.repeat(1000)) });
  expect(cache.bytes()).toBe(603);
});

test('a request with more results than fit is answered in full', async () => {
  const { cache, run } = setUp(2 * 201);
  const list = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  expect((await run({ inputs: texts(...list) })).results).toEqual(list);
  expect(cache.bytes()).toBe(402);
});

test('scores for the vectors of a query are not stored', async () => {
  const { cache, run } = setUp();
  const query = { data: new Float32Array(), rows: 0, width: 1 };
  await run({ inputs: texts('a'), view: { kind: 'max-sim', query } as unknown as PreparedRequest['view'] });
  expect(cache.bytes()).toBe(0);
});
