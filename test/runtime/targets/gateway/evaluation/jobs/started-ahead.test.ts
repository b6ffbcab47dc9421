import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { JobsClient } from '#gateway/evaluation/jobs/worker/client.ts';
import type { WorkerBatch } from '#gateway/evaluation/jobs/worker/protocol.ts';
import { processRange } from '#gateway/evaluation/jobs/worker/process-range.ts';
import { startedAhead } from '#gateway/evaluation/jobs/worker/started-ahead.ts';
import type { AnswerStore, WorkSpec } from '#gateway/evaluation/work/work.ts';
import { scriptedModel } from '../work/scripted-model.ts';
import { inferenceOf, toolsOf, withWork } from '../work/working.ts';

const rangeOf = (spec: WorkSpec): Omit<Parameters<typeof processRange>[0], 'work' | 'client'> => {
  const lease = { first_row: 0, epoch: 1 };
  const position = { row_count: 60, next_row: 0, retry_row: null, checkpoint: null, checkpoints: null };
  const { signal: stop } = new AbortController();
  const clock = systemClock;
  return { clock, job: { spec, total_rows: 60 }, range: { ...lease, ...position }, lease, stop };
};

test('later batches are sent to a language model during a slow row, and all rows are written in order', async () => {
  const eight = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const model = await scriptedModel(async ({ body }, nth) => {
    if (nth === 8) eight.resolve();
    if (nth === 40) slow.resolve();
    const text = body.messages.at(-1)?.content ?? '';
    await (text === 'text 0' ? slow.promise : eight.promise);
    return `Short: ${text}`;
  });
  const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
  const written: RowCells[] = [];
  const client: Pick<JobsClient, 'rows' | 'commit'> = {
    rows: async (from) => ({ first_row: from, rows: texts.slice(from).map((examples) => ({ examples })) }),
    async commit({ first_row: firstRow, rows }) {
      expect(firstRow).toBe(written.length);
      written.push(...rows);
      return { failed_rows: 0 };
    },
  };
  const spec = inferenceOf(
    { kind: 'openai-compatible', baseUrl: model.url, model: 'm', secretName: null },
    { task: { task: 'summarization' }, batchSize: 1 },
  );
  const result = await withWork(spec, async (work) => {
    expect(await processRange({ ...rangeOf(spec), work, client: client as JobsClient })).toBeUndefined();
    return work.result();
  });
  expect(result).toMatchObject({ metrics: { error_rate: 0 } });
  expect(written.map((row) => row['predictions'])).toEqual(texts.map((text) => `Short: ${text}`));
  expect(model.mostOpen()).toBe(8);
});

test('a failed job sends no more rows and waits for responses to those already sent', async () => {
  const answered = Promise.withResolvers<void>();
  const model = await scriptedModel(async ({ body }, nth) => {
    if (nth === 8) answered.resolve();
    await answered.promise;
    const text = body.messages.at(-1)?.content ?? '';
    return text === 'text 0' ? { status: 400, error: 'Bad.' } : 'Fine.';
  });
  const kept: string[] = [];
  const answers: AnswerStore = {
    find: async () => undefined,
    keep: (_key, { text }) => Promise.resolve(kept.push(text)),
  };
  const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
  const client: Pick<JobsClient, 'rows' | 'commit'> = {
    rows: async (from) => ({ first_row: from, rows: texts.slice(from).map((examples) => ({ examples })) }),
    commit: async ({ failed }) => ({ failed_rows: failed }),
  };
  const spec = inferenceOf(
    { kind: 'openai-compatible', baseUrl: model.url, model: 'm', secretName: null },
    { task: { task: 'summarization' }, batchSize: 1 },
  );
  const end = await withWork(
    spec,
    (work) => processRange({ ...rangeOf(spec), work, client: client as JobsClient }),
    { tools: toolsOf({ answers }) },
  );
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('Bad.') });
  // The failed row can end before or after others, each of which starts one more.
  expect(model.asked.length).toBeLessThan(24);
  expect(kept).toHaveLength(model.asked.length - 1);
});

test.each([1, 10, 64, 130, 200, 255, 256, 1000])(
  'with batches of %i rows, later rows are started ahead in groups, up to the limit',
  async (size) => {
    const [count, max] = [Math.ceil(2000 / size), 256];
    const all = async function* () {
      for (let at = 0; at < count; at += 1) yield { at, rows: Array.from({ length: size }, () => ({})) };
    };
    let [started, starts, wasStarted] = [0, 0, 0];
    const ahead = { rows: max, start: () => void (started += 1) };
    for await (const { at } of startedAhead(all(), { ahead }, new AbortController().signal)) {
      if (started > wasStarted) starts += 1;
      wasStarted = started;
      const [batches, rows] = [started - at, (started - at) * size];
      expect(rows).toBeLessThan(max + size);
      const isLast = started === count;
      expect(isLast || rows > (max * 3) / 4).toBe(true);
      // The next batch has been started already, unless a single batch fills the whole window.
      expect(isLast || size >= max || batches >= 2).toBe(true);
    }
    expect(starts).toBeLessThanOrEqual(Math.max(count, 1 + Math.ceil(2000 / (max / 4))));
  },
);

/** Processes 60 rows with the model's responses from `answer`; resolves with the outcome and the writes. */
async function writesOf(
  answer: (text: string) => Promise<string | { readonly status: number; readonly error: string }>,
  maxErrorRate = 0,
) {
  const model = await scriptedModel(({ body }) => answer(body.messages.at(-1)?.content ?? ''));
  const writes: WorkerBatch[] = [];
  let failed = 0;
  const client: Pick<JobsClient, 'rows' | 'commit'> = {
    rows: async (from) => ({
      first_row: from,
      rows: Array.from({ length: 60 - from }, (_, at) => ({ examples: `text ${from + at}` })),
    }),
    async commit(batch) {
      writes.push(batch);
      failed += batch.failed;
      return { failed_rows: failed };
    },
  };
  const spec = inferenceOf(
    { kind: 'openai-compatible', baseUrl: model.url, model: 'm', secretName: null },
    { task: { task: 'summarization' }, batchSize: 1, maxErrorRate },
  );
  let end: unknown;
  const range = rangeOf(spec);
  await withWork(spec, async (work) => {
    end = await processRange({ ...range, work, client: client as JobsClient }).catch(
      (error: unknown) => error,
    );
  });
  return { end, writes };
}

test('responses from a language model are written in groups, with the checkpoint of their last row', async () => {
  const { end, writes } = await writesOf(async (text) => `Short: ${text}`);
  expect(end).toBeUndefined();
  expect(writes.length).toBeLessThan(30);
  let row = 0;
  for (const { first_row: first, rows, checkpoint } of writes) {
    expect(first).toBe(row);
    row += rows.length;
    expect(checkpoint.work).toMatchObject({ rows: row });
  }
  expect(row).toBe(60);
});

test('the row that exceeds the error limit stops the job after all earlier rows are written', async () => {
  const { end, writes } = await writesOf(
    async (text) => (/[13]$/.test(text) ? { status: 400, error: `Bad ${text}.` } : 'Fine.'),
    2 / 60,
  );
  expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('3 of 60 rows failed') });
  expect(end).toMatchObject({ error: expect.stringContaining('Bad text 1.') });
  expect(writes.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(12);
});

test('a job that is paused by an error keeps the responses to earlier rows', async () => {
  const { end, writes } = await writesOf(async (text) =>
    text === 'text 20' ? { status: 402, error: 'No credit.' } : 'Fine.',
  );
  expect(end).toMatchObject({ reason: 'job_paused' });
  expect(writes.reduce((sum, { rows }) => sum + rows.length, 0)).toBe(20);
});
