import { expect, test } from 'vitest';
import { EngineJob } from '#encoder/engine/job.ts';
import { requestSteps } from '#encoder/servers/open-context.ts';

const COUNTS = { inputs: 2, tokens: 6, truncated: 0 };

test('steps that run one after another have consecutive times', () => {
  const timings = { tokenization: 20, queue: 30, inference: 50, total: 100 };
  expect(requestSteps({ ...COUNTS, timings })).toMatchObject([
    { name: 'tokenize', startedAgo: 100, endedAgo: 80 },
    { name: 'queue', startedAgo: 80, endedAgo: 50 },
    { name: 'inference', startedAgo: 50, endedAgo: 0 },
  ]);
});

test('a request that runs before tokenization ends has overlapping steps, all within the request', () => {
  const timings = { tokenization: 80, queue: 0, inference: 60, total: 100 };
  expect(requestSteps({ ...COUNTS, timings })).toMatchObject([
    { name: 'tokenize', startedAgo: 100, endedAgo: 20 },
    { name: 'queue', startedAgo: 60, endedAgo: 60 },
    { name: 'inference', startedAgo: 60, endedAgo: 0 },
  ]);
});

test('no step starts before its job', async () => {
  const job = new EngineJob({
    inputs: [{ text: 'a' }],
    view: { kind: 'result', format: 'json', options: {} },
  });
  const tokenizer = {
    maxLength: 8,
    truncationSide: 'right',
    padId: 0,
    vocabularySize: 9,
    marksSubwords: true,
  } as const;
  const manifest = {
    name: 'model',
    version: '1',
    modelType: 'embedding',
    builtBy: 'test',
    inputs: ['input_ids'],
    output: 'out',
    width: 1,
    precision: 'float32',
    tokenizer,
  } as const;
  const [item] = job.items(0, { ids: Int32Array.of(1, 2, 3), truncated: false }, manifest);
  if (!item) throw new Error('no item');
  job.runs();
  job.tokenized();
  job.done(item, new Uint8Array());
  const { timings } = await job.answer;
  for (const { startedAgo, endedAgo } of requestSteps({ ...COUNTS, timings })) {
    expect(startedAgo).toBeLessThanOrEqual(timings.total);
    expect(endedAgo).toBeLessThanOrEqual(startedAgo);
  }
});
