import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { AppError } from '#contract/errors.ts';
import { createDispatcher, type Dispatcher } from '#encoder/engine/dispatcher.ts';
import { EngineJob, type JobItem } from '#encoder/engine/job.ts';
import type { Lane } from '#encoder/engine/lanes.ts';
import type { Pool } from '#encoder/engine/pool.ts';

const MANIFEST: Manifest = {
  name: 'model',
  version: '1',
  modelType: 'embedding',
  builtBy: 'test',
  inputs: ['input_ids'],
  output: 'out',
  width: 1,
  precision: 'float32',
  tokenizer: { maxLength: 512, truncationSide: 'right', padId: 0, vocabularySize: 9, marksSubwords: true },
};

/** A dispatcher with a pool of one thread and a thread for large texts; `sent` records the lengths of the batches that run. */
function setUp({ interleaves = false } = {}) {
  const sent: Record<'large' | 'others' | 'between', number[][]> = { large: [], others: [], between: [] };
  const running: Record<'large' | 'other' | 'between', readonly JobItem[]> = {
    large: [],
    other: [],
    between: [],
  };
  const lengths = (items: readonly JobItem[]): number[] => items.map(({ length }) => length);
  const pool: Pool = {
    room: () => ({ idle: running.other.length > 0 ? 0 : 1, ahead: 0 }),
    send(items) {
      sent.others.push(lengths(items));
      running.other = items;
    },
    openWorkers: () => {},
    canRunAlone: () => false,
    canInterleave: () => interleaves && running.between.length === 0,
    sendAlone(items) {
      sent.between.push(lengths(items));
      running.between = items;
    },
    canRunLarge: () => running.large.length === 0,
    sendLarge(items) {
      sent.large.push(lengths(items));
      running.large = items;
    },
    size: () => 1,
    ended: () => false,
    close: async () => {},
  };
  const dispatcher = createDispatcher(
    { maxTokens: 1000, maxPairs: 10_000 },
    {},
    {
      onBatch: () => {},
      onRequest: () => {},
      onWorkerDeath: () => {},
    },
  );
  dispatcher.attach(pool);
  /** Completes the running batch. */
  const finish = (kind: keyof typeof running): void => {
    const items = running[kind];
    running[kind] = [];
    dispatcher.hooks.onDone(
      items,
      items.map(() => new Uint8Array()),
      1,
    );
    dispatcher.hooks.onRoom();
  };
  return { dispatcher, sent, running, finish };
}

function add(dispatcher: Dispatcher, ...lengths: number[]): EngineJob {
  return addTo('interactive', dispatcher, ...lengths);
}

function addTo(lane: Lane, dispatcher: Dispatcher, ...lengths: number[]): EngineJob {
  const job = new EngineJob({
    inputs: lengths.map(() => ({ text: 'a' })),
    view: { kind: 'result', format: 'json', options: {} },
  });
  job.lane = lane;
  dispatcher.add(
    lengths.flatMap((length, index) =>
      job.items(index, { ids: new Int32Array(length), truncated: false }, MANIFEST),
    ),
  );
  return job;
}

test('large texts run one at a time, and other texts run in parallel', async () => {
  const { dispatcher, sent, finish } = setUp();
  const job = add(dispatcher, 400, 20, 101, 20, 300);
  // The batches of 20-token texts have at most 100 tokens, so they do not wait for the large ones.
  expect(sent).toEqual({ large: [[400]], others: [[20, 20]], between: [] });
  finish('other');
  expect(sent.large).toEqual([[400]]);
  finish('large');
  finish('large');
  expect(sent.large).toEqual([[400], [101], [300]]);
  finish('large');
  expect((await job.answer).tokens).toEqual([400, 20, 101, 20, 300]);
});

test('batches are limited to the maximum number of token pairs', () => {
  const { dispatcher, sent, finish } = setUp();
  add(dispatcher, 70, 70, 70);
  finish('other');
  expect(sent.others).toEqual([[70, 70], [70]]);
});

test('large texts of a canceled job are removed from the queue', () => {
  const { dispatcher, sent, finish } = setUp();
  const job = add(dispatcher, 400, 300);
  dispatcher.forget(job);
  finish('large');
  expect(sent.large).toEqual([[400]]);
});

test('a large text is retried once if its thread dies', async () => {
  const { dispatcher, sent, running } = setUp();
  const job = add(dispatcher, 400);
  for (let time = 0; time < 2; time++) {
    const items = running.large;
    running.large = [];
    dispatcher.hooks.onFailed(items, new AppError('InternalError', 'the thread died'), 'died');
    dispatcher.hooks.onRoom();
  }
  expect(sent.large).toEqual([[400], [400]]);
  await expect(job.answer).rejects.toThrow('the thread died');
});

test('an interactive request does not wait for a bulk batch, and other bulk batches wait for it', () => {
  const { dispatcher, sent, finish } = setUp({ interleaves: true });
  addTo('bulk', dispatcher, 90, 90, 80);
  add(dispatcher, 5);
  add(dispatcher, 6);
  expect(sent).toMatchObject({ others: [[90]], between: [[5]] });
  finish('between');
  expect(sent.between).toEqual([[5], [6]]);
  add(dispatcher, 7);
  finish('other');
  expect(sent).toMatchObject({ others: [[90], [7]], between: [[5], [6]] });
  // The batch that runs now is interactive too, so another request waits for it.
  finish('between');
  add(dispatcher, 8);
  expect(sent.between).toHaveLength(2);
  finish('other');
  finish('other');
  expect(sent.others).toEqual([[90], [7], [8], [90]]);
});

test('a bulk batch that failed no longer counts as running', () => {
  const { dispatcher, sent, running } = setUp({ interleaves: true });
  addTo('bulk', dispatcher, 90);
  dispatcher.hooks.onFailed(running.other, new AppError('InternalError', 'no memory'), 'failed');
  add(dispatcher, 5);
  expect(sent.between).toEqual([]);
});
