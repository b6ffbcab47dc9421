import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { createMeanings, type MeaningItem } from '#manager/meanings/meanings.ts';
import { observeMeanings } from '#manager/meanings/metrics.ts';
import type { SearchEncoder } from '#manager/meanings/search-encoder.ts';
import type { SavedVectors } from '#manager/meanings/vector-file.ts';
import { sha256 } from '#platform/sha256.ts';
import { afterPoll } from '#platform/wait-for.ts';
import { handClock } from '#test/helpers/hand-clock.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

const item = (text: string, isShared = true): MeaningItem => ({ text, hash: sha256(text), isShared });
const ITEMS = ['red', 'blue', 'red and blue'].map((text) => item(text));

/** An encoder of two words, which can fail, hang, and have another model. */
function encoderOfColors() {
  const state = {
    asked: [] as (readonly string[])[],
    fails: undefined as AppError | undefined,
    hangs: false,
    turned: false,
    dimension: 3,
  };
  const vectorOf = (text: string): Float32Array => {
    const values = ['red', 'blue'].map((word) => (text.includes(word) ? 1 : 0));
    const all = [...(state.turned ? values.toReversed() : values), 0.1, ...Array<number>(97).fill(0)];
    const vector = Float32Array.from(all.slice(0, state.dimension));
    return vector.map((value) => value / Math.hypot(...vector));
  };
  const encoder: SearchEncoder = {
    async embed(texts, signal) {
      state.asked.push(texts);
      if (state.fails) throw state.fails;
      if (texts.some((text) => text.includes('too long'))) throw new AppError('InputError', 'too long');
      if (state.hangs) {
        await new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      }
      return texts.map(vectorOf);
    },
    close: () => Promise.resolve(),
  };
  return { state, encoder };
}

/** A file that keeps what was saved. */
function savedFile(before?: SavedVectors) {
  const file = {
    saved: before,
    load: () => Promise.resolve(file.saved),
    save: (vectors: SavedVectors) => {
      file.saved = vectors;
      return Promise.resolve();
    },
  };
  return file;
}

function open({ colors = encoderOfColors(), file = savedFile() } = {}) {
  const clock = handClock();
  const kernel = testKernel();
  const metrics = observeMeanings(kernel.metrics);
  const meanings = createMeanings({
    encoder: colors.encoder,
    file,
    clock,
    log: kernel.log,
    metrics,
    startDelayMs: 0,
  });
  clock.pass(0);
  onTestFinished(() => meanings.close());
  return { ...colors, file, clock, kernel, meanings };
}

test('items are compared by their vectors, which are computed in the background and saved', async () => {
  const { meanings, state, file, kernel } = open();
  meanings.learn(ITEMS);
  await meanings.settled();
  const [red = 0, blue = 0, both = 0] = (await meanings.similarities('red', ITEMS)) ?? [];
  expect(red).toBeGreaterThan(0.99);
  expect(both).toBeGreaterThan(blue);
  expect(file.saved?.vectors.size).toBe(3);
  expect(await kernel.metrics.metrics()).toContain('mcp_search_vectors 3');
  await meanings.similarities('red', ITEMS);
  // The same query is encoded once.
  expect(state.asked.filter((texts) => texts.length === 1 && texts[0] === 'red')).toHaveLength(1);
});

test('only new texts are encoded, also after a restart', async () => {
  const file = savedFile();
  const first = open({ file });
  first.meanings.learn(ITEMS);
  await first.meanings.settled();
  await first.meanings.close();
  const second = open({ file });
  second.meanings.learn([...ITEMS, item('green')]);
  await second.meanings.settled();
  second.meanings.learn(ITEMS);
  await second.meanings.settled();
  const texts = second.state.asked.flat();
  expect(texts.filter((text) => ITEMS.some((one) => one.text === text))).toEqual([]);
  expect(texts).toContain('green');
  expect(file.saved?.vectors.size).toBe(4);
});

test.each(['turned', 'wider'] as const)('saved vectors of another model are not used: %s', async (change) => {
  const file = savedFile();
  const first = open({ file });
  first.meanings.learn(ITEMS);
  await first.meanings.settled();
  const saved = file.saved;
  if (!saved) throw new Error('nothing was saved');
  const colors = encoderOfColors();
  if (change === 'wider') colors.state.dimension = 100;
  const probe = change === 'wider' ? saved.probe : saved.probe.toReversed();
  const second = open({ file: savedFile({ ...saved, probe }), colors });
  second.meanings.learn(ITEMS);
  await second.meanings.settled();
  expect(second.state.asked.flat()).toEqual(expect.arrayContaining(ITEMS.map(({ text }) => text)));
});

test("vectors of a user's own items are kept in memory and not saved", async () => {
  const { meanings, file } = open();
  meanings.learn([item('red', false), item('blue')]);
  await meanings.settled();
  const [red] = (await meanings.similarities('red', [item('red', false)])) ?? [];
  expect(red).toBeGreaterThan(0.99);
  expect([...(file.saved?.vectors.keys() ?? [])]).toEqual([sha256('blue')]);
});

test('a text that the encoder rejects does not affect the others, and is not sent again', async () => {
  const { meanings, state } = open();
  const items = [item('red'), item('too long'), item('blue')];
  meanings.learn(items);
  await meanings.settled();
  const similarities = await meanings.similarities('blue', items);
  expect(similarities?.map((value) => value === undefined)).toEqual([false, true, false]);
  const count = state.asked.flat().filter((text) => text === 'too long').length;
  meanings.learn(items);
  await meanings.settled();
  expect(state.asked.flat().filter((text) => text === 'too long')).toHaveLength(count);
});

test('a search does not wait longer than 200 ms, and after five late vectors, searches do not wait for a while', async () => {
  const { meanings, state, clock, kernel } = open();
  meanings.learn(ITEMS);
  await meanings.settled();
  state.hangs = true;
  for (let at = 1; at <= 5; at += 1) {
    const found = meanings.similarities(`query ${at}`, ITEMS);
    await afterPoll();
    clock.pass(199);
    expect(clock.waiting()).toEqual([1]);
    clock.pass(1);
    expect(await found).toBeUndefined();
  }
  const asked = state.asked.length;
  expect(await meanings.similarities('query 6', ITEMS)).toBeUndefined();
  expect(state.asked).toHaveLength(asked);
  state.hangs = false;
  clock.pass(30_000);
  expect(await meanings.similarities('red', ITEMS)).toHaveLength(3);
  expect(await kernel.metrics.metrics()).toContain('mcp_search_encoder_failures_total{reason="late"} 5');
  const warnings = kernel.logged.filter(({ msg }) => String(msg).includes('search encoder failed'));
  expect(warnings.map(({ msg }) => msg)).toEqual([
    'the search encoder failed, so searches only use words: no vector for a query within 200 ms',
  ]);
});

test('a failed encoder is not asked by searches until it works again', async () => {
  const { meanings, state, clock, kernel } = open();
  meanings.learn(ITEMS);
  await meanings.settled();
  state.fails = new AppError('UpstreamError', 'HTTP status 500');
  expect(await meanings.similarities('red', ITEMS)).toBeUndefined();
  await afterPoll();
  const asked = state.asked.length;
  expect(await meanings.similarities('blue', ITEMS)).toBeUndefined();
  expect(state.asked).toHaveLength(asked);
  state.fails = undefined;
  clock.pass(500);
  await meanings.settled();
  expect(await meanings.similarities('blue', ITEMS)).toHaveLength(3);
  expect(kernel.logged.map(({ msg }) => msg)).toEqual([
    'the search encoder failed, so searches only use words: HTTP status 500',
  ]);
});

test('a canceled search stops waiting for its vector', async () => {
  const { meanings, state } = open();
  meanings.learn(ITEMS);
  await meanings.settled();
  state.hangs = true;
  const cancel = new AbortController();
  const found = meanings.similarities('red', ITEMS, cancel.signal);
  cancel.abort();
  await expect(found).rejects.toMatchObject({ code: 'CancelledError' });
});

test('vectors are computed again if a running encoder has another model after a while', async () => {
  const { meanings, state, clock } = open();
  meanings.learn(ITEMS);
  await meanings.settled();
  state.dimension = 100;
  clock.pass(300_001);
  meanings.learn(ITEMS);
  await meanings.settled();
  // The first search after the change finds that there are no vectors.
  await meanings.similarities('red', ITEMS);
  await meanings.settled();
  const [red] = (await meanings.similarities('red', ITEMS)) ?? [];
  expect(red).toBeGreaterThan(0.99);
});

test('the encoder is used two seconds after the start', async () => {
  const { state, encoder } = encoderOfColors();
  const clock = handClock();
  const kernel = testKernel();
  const metrics = observeMeanings(kernel.metrics);
  const meanings = createMeanings({ encoder, file: savedFile(), clock, log: kernel.log, metrics });
  onTestFinished(() => meanings.close());
  expect(await meanings.similarities('red', ITEMS)).toBeUndefined();
  clock.pass(1999);
  await afterPoll();
  expect(state.asked).toEqual([]);
  clock.pass(1);
  await meanings.settled();
  expect(await meanings.similarities('red', ITEMS)).toHaveLength(3);
});
