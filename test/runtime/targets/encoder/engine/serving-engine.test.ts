import { readdirSync, readFileSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineLimits, EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine, type ServingOptions } from '#encoder/engine/serving-engine.ts';
import { readGolden } from '#test/helpers/golden.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

const VIEW: EngineRequest['view'] = { kind: 'result', format: 'json', options: {} };
const texts = (...list: string[]): { text: string }[] => list.map((text) => ({ text }));
const many = (count: number): { text: string }[] =>
  Array.from({ length: count }, (_, at) => ({ text: `number ${at} `.repeat(1 + (at % 40)) }));

const folder = useTempFolder();
let open: ServingEngine[] = [];
let threads: Worker[] = [];
const seen = (worker: Worker): void => void threads.push(worker);
beforeEach(() => {
  threads = [];
  process.on('worker', seen);
});
afterEach(async () => {
  process.off('worker', seen);
  await Promise.all(open.map((engine) => engine.close()));
  open = [];
});

async function start(
  model = 'sentiment',
  limits: Partial<EngineLimits> = {},
  options: Partial<ServingOptions> = {},
): Promise<ServingEngine> {
  const path = builtAssets(model);
  const engine = await openServingEngine(path, { ...options, limits: { ...DEFAULT_LIMITS, ...limits } });
  open.push(engine);
  return engine;
}

/** The nice value of a thread in this process, by its kernel ID; default: the main thread. */
const priorityOf = (thread: string): number => {
  const stat = readFileSync(`/proc/self/${thread && `task/${thread}/`}stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
};

const read = (results: readonly Uint8Array[]): { logits: number[] }[] =>
  results.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as { logits: number[] });

describe('the serving engine', () => {
  test('returns results in input order, however texts were batched', async () => {
    const engine = await start('sentiment', { maxBatchTokens: 64 });
    const golden = readGolden('sentiment');
    const calls = golden.map(({ text }, at) =>
      engine.run({ inputs: texts(text, golden[(at * 7) % golden.length]?.text ?? text), view: VIEW }),
    );
    for (const [at, { results, tokens }] of (await Promise.all(calls)).entries()) {
      const expected = [golden[at], golden[(at * 7) % golden.length]];
      expect(tokens).toEqual(expected.map((item) => item?.input_ids.length));
      for (const [index, { logits }] of read(results).entries()) {
        const wanted = (expected[index]?.logits ?? []) as number[];
        expect(logits.length).toBe(wanted.length);
        for (const [label, value] of logits.entries()) expect(value).toBeCloseTo(wanted[label] ?? NaN, 4);
      }
    }
  });

  test.each([
    [[], 'InputError', /^Cannot tokenize empty string$/],
    [texts('a', ''), 'InputError', /^Cannot tokenize empty string$/],
    [[{ text: 'a', pair: '' }], 'InputError', /^Cannot tokenize empty string$/],
    [[{ ids: [] }], 'InputError', /^Cannot tokenize empty string$/],
    [
      [{ ids: [5, -1] }],
      'InputError',
      /Input 0 contains the invalid token id -1\. Token ids for this model range from 0 to \d+/,
    ],
    [[{ ids: [1e9] }], 'InputError', /token id 1000000000/],
    [[{ ids: [1.5] }], 'InputError', /token id 1\.5/],
    [
      texts('ok', '🙂'.repeat(11)),
      'InputError',
      /Input 1 is too long: it has 11 characters, but the maximum is 10/,
    ],
    [many(4), 'InputError', /the request has 4, but the maximum is 3 \(--max-client-batch\)/],
  ])('rejects %j', async (inputs, code, message) => {
    const engine = await start('sentiment', { maxInputChars: 10, maxClientBatch: 3 });
    await expect(engine.run({ inputs, view: VIEW })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect((await engine.run({ inputs: texts('fine'), view: VIEW })).results).toHaveLength(1);
  });

  test('a full queue rejects immediately, and accepts requests again when there is room', async () => {
    const engine = await start('sentiment', { maxQueue: 100 });
    const large = engine.run({ inputs: many(500), view: VIEW });
    await expect(engine.run({ inputs: texts('too late'), view: VIEW })).rejects.toMatchObject({
      code: 'OverloadedError',
      message: expect.stringMatching(
        /500 inputs are queued, and the maximum is 100 \(--max-queue\)/,
      ) as string,
    });
    expect((await large).results).toHaveLength(500);
    expect((await engine.run({ inputs: texts('now'), view: VIEW })).results).toHaveLength(1);
  });

  test('requests of disconnected clients are not run', async () => {
    const batches: number[] = [];
    const observer = {
      onBatch: ({ inputs }: { inputs: number }) => void batches.push(inputs),
      onRequest: () => {},
      onWorkerDeath: () => {},
    };
    const engine = await start('sentiment', {}, { observer });
    batches.length = 0;
    const leaving = new AbortController();
    const left = engine.run({ inputs: many(2000), view: VIEW, signal: leaving.signal });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'CancelledError' });
    expect(engine.stats().queued).toBe(0);
    await engine.run({ inputs: texts('next'), view: VIEW });
    expect(batches.reduce((sum, count) => sum + count, 0)).toBeLessThan(500);
  });

  test('a request that is already canceled is not run', async () => {
    const engine = await start();
    const request = engine.run({ inputs: texts('a'), view: VIEW, signal: AbortSignal.abort() });
    await expect(request).rejects.toMatchObject({ code: 'CancelledError' });
  });

  test('longer texts are truncated, or rejected if requested', async () => {
    const long = texts('word '.repeat(2000));
    const engine = await start();
    const { tokens } = await engine.run({ inputs: long, view: VIEW });
    expect(tokens).toEqual([engine.manifest.tokenizer.maxLength]);
    const strict = await start('sentiment', { onOverflow: 'error' });
    await expect(strict.run({ inputs: long, view: VIEW })).rejects.toMatchObject({
      code: 'InputError',
      message: expect.stringMatching(/Input 0 is too long: it has more than \d+ tokens/) as string,
    });
    expect((await strict.run({ inputs: texts('short'), view: VIEW })).results).toHaveLength(1);
  });

  test('a crashed thread is replaced, and its pending texts are retried', async () => {
    const deaths: string[] = [];
    const observer = {
      onBatch: () => {},
      onRequest: () => {},
      onWorkerDeath: (reason: string) => void deaths.push(reason),
    };
    const engine = await start('sentiment', { maxBatchTokens: 128 }, { observer, workers: 1 });
    const before = read((await engine.run({ inputs: many(300), view: VIEW })).results);
    const running = engine.run({ inputs: many(300), view: VIEW });
    // An unreadable message terminates a thread.
    threads[0]?.postMessage(null);
    const after = read((await running).results);
    const firsts = (list: { logits: number[] }[]): (string | undefined)[] =>
      list.map(({ logits }) => logits[0]?.toFixed(4));
    expect(firsts(after)).toEqual(firsts(before));
    expect(threads.length).toBe(2);
    expect(deaths.length).toBe(1);
    expect(engine.stats().workers).toBe(1);
  });

  test.runIf(process.platform === 'linux')(
    'inference threads have a lower priority than the serving thread',
    async () => {
      await start('sentiment', {}, { workers: 2, threads: 1 });
      const priorities = readdirSync('/proc/self/task').map(priorityOf);
      // Threads of a closed engine may still be running.
      const lower = priorities.filter((priority) => priority > priorityOf(''));
      expect(lower.length).toBeGreaterThanOrEqual(2);
    },
  );

  test('a cached result has the same bytes, and messages and truncated inputs have the indexes of the request', async () => {
    const cached = await start('sentiment', { maxCacheBytes: 1_000_000 });
    const plain = await start('sentiment');
    const long = 'word '.repeat(1000);
    const run = async (engine: ServingEngine, ...list: string[]) => {
      const { results, tokens, truncated } = await engine.run({ inputs: texts(...list), view: VIEW });
      return { results: results.map((bytes) => Buffer.from(bytes).toString()), tokens, truncated };
    };
    await run(cached, 'one', 'two');
    const list = ['two', 'three', long, 'one', 'three', long];
    const answer = await run(cached, ...list);
    // A result depends on its batch in the last digits.
    const whole = await run(plain, ...list);
    expect({ ...answer, results: [] }).toEqual({ ...whole, results: [] });
    expect(answer.truncated).toEqual([2, 5]);
    expect(await run(cached, ...list)).toEqual(answer);
    const error = { rule: 'error' } as const;
    await cached.run({ inputs: texts('one', 'two'), view: VIEW, overflow: error });
    await expect(
      cached.run({ inputs: texts('one', 'two', long), view: VIEW, overflow: error }),
    ).rejects.toThrow('Input 2 is too long');
    await expect(
      cached.run({
        inputs: texts('one', 'two', 'one', long),
        view: VIEW,
        overflow: error,
        indexOf: (at) => Math.floor(at / 2),
      }),
    ).rejects.toThrow('Input 1 is too long');
    expect(cached.stats().cacheBytes).toBeGreaterThan(0);
    expect(plain.stats().cacheBytes).toBeUndefined();
  });

  test('a dead thread is not replaced with a thread from another build', async () => {
    const path = join(folder(), 'model.assets');
    await cp(builtAssets('sentiment'), path, { recursive: true });
    const ended = Promise.withResolvers<void>();
    const observer = {
      onBatch: () => {},
      onRequest: () => {},
      onWorkerDeath: () => {},
      onEnd: () => ended.resolve(),
    };
    const engine = await openServingEngine(path, {
      limits: DEFAULT_LIMITS,
      workers: 1,
      threads: 1,
      observer,
    });
    open.push(engine);
    expect((await engine.run({ inputs: texts('good'), view: VIEW })).results).toHaveLength(1);
    await rename(path, `${path}.old`);
    await cp(builtAssets('ner'), path, { recursive: true });
    for (const thread of threads) thread.postMessage(null);
    await ended.promise;
    await expect(engine.run({ inputs: texts('good'), view: VIEW })).rejects.toThrow(
      'The model cannot run: all inference threads exited and could not be restarted.',
    );
  });

  test('closing the engine waits for accepted requests', async () => {
    const engine = await start();
    const accepted = engine.run({ inputs: many(200), view: VIEW });
    await engine.close();
    expect((await accepted).results).toHaveLength(200);
    open = [];
  });

  test('a text vector can be returned as JSON and as base64', async () => {
    const engine = await start('embedder');
    const vector = async (format: 'json' | 'base64', dimensions?: number): Promise<unknown> => {
      const view = { kind: 'vector', format, normalize: true, dimensions } as const;
      const { results } = await engine.run({ inputs: texts('a text'), view });
      return JSON.parse(new TextDecoder().decode(results[0])) as unknown;
    };
    const json = (await vector('json')) as number[];
    expect(Math.hypot(...json)).toBeCloseTo(1, 5);
    const bytes = Buffer.from((await vector('base64')) as string, 'base64');
    const floats = [...new Float32Array(new Uint8Array(bytes).buffer)];
    expect(floats.map((value) => value.toFixed(6))).toEqual(json.map((value) => value.toFixed(6)));
    const short = (await vector('json', 8)) as number[];
    expect(short).toHaveLength(8);
    expect(Math.hypot(...short)).toBeCloseTo(1, 5);
  });

  test('a folder without a model causes a clear one-sentence error', async () => {
    await expect(
      openServingEngine(join(FIXTURES, 'models', 'nosuch'), { limits: DEFAULT_LIMITS }),
    ).rejects.toThrow(/nosuch/);
  });
});
