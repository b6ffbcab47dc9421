import { expect, test } from 'vitest';
import type { Backend } from '#gateway/evaluation/work/work.ts';
import { startFixture } from '../../fixture-provider.ts';
import { scriptedModel } from './scripted-model.ts';
import { encoderAt, evaluationOf, inferenceOf, runAll, toolsOf, withWork } from './working.ts';

const encoder = await startFixture('encoder');
const vectors = encoderAt(`${encoder.url}/vectors`);
const task = { task: 'feature-extraction' } as const;

test('texts are compared with their references, and similarities are correlated with ratings', async () => {
  const rows = [
    { examples: 'one two', reference: 'one two', ground_truth: '5' },
    { examples: 'three', reference: 'a', ground_truth: '1' },
    { examples: 'four', reference: 'mountain', ground_truth: 4.5 },
  ];
  const outcome = await withWork(inferenceOf(vectors, { task }), (work) => runAll(work, rows));
  expect(outcome.failed).toBe(0);
  expect(Math.hypot(...(outcome.rows[0]?.['predictions'] as number[]))).toBeCloseTo(1, 12);
  expect(outcome.rows[0]?.['cosine']).toBeCloseTo(1, 12);
  const metrics = ['cosine', 'pearson', 'spearman', 'mrr'];
  const { table, result } = await withWork(evaluationOf({ task, metrics }), async (work) => {
    const { rows: table } = await runAll(work, outcome.rows);
    return { table, result: work.result() };
  });
  expect(table[1]).toEqual({ cosine_mean: outcome.rows[1]?.['cosine'], error: null });
  expect(result.metrics['spearman']).toBeCloseTo(1, 12);
  expect(result.metrics['pearson']).toBeGreaterThan(0.9);
  expect(result.details).toMatchObject({ undefined_metrics: { mrr: 'No row was scored.' } });
});

test('ranking metrics reflect the position of the correct candidate', async () => {
  const rows = [
    { examples: 'alpha', candidates: ['zz', 'alpha'], ground_truth: 1 },
    { examples: 'alpha', candidates: '["alpha", "zz"]', ground_truth: '[0, 1]' },
  ];
  const outcome = await withWork(inferenceOf(vectors, { task }), (work) => runAll(work, rows));
  const metrics = ['mrr', 'recall_at_1', 'cosine'];
  const result = await withWork(evaluationOf({ task, metrics }), async (work) => {
    await runAll(work, outcome.rows);
    return work.result();
  });
  expect(result.metrics).toEqual({ mrr: 0.75, recall_at_1: 0.5 });
});

test('BERTScore requests token vectors from an encoder', async () => {
  const spec = evaluationOf({
    task: { task: 'text-generation' },
    metrics: ['bertscore'],
    embedder: { backend: vectors },
  });
  const rows = [
    { examples: 'x', ground_truth: 'one two three', predictions: 'one two three' },
    { examples: 'x', ground_truth: 'one two three', predictions: '' },
    { examples: 'x', ground_truth: 'one', predictions: 'poison' },
  ];
  const { outcome, result } = await withWork(spec, async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(outcome.rows[0]?.['bertscore_f1_mean']).toBeCloseTo(1, 12);
  expect(outcome.rows[1]?.['bertscore_f1_mean']).toBe(0);
  expect(outcome).toMatchObject({ failed: 1, firstError: expect.stringContaining('One text is poisoned.') });
  expect(result.metrics['bertscore_f1_mean']).toBeCloseTo(0.5, 12);
  await expect(
    withWork({ ...spec, embedder: { backend: encoderAt(encoder.url) } }, async () => undefined),
  ).rejects.toThrow('bertscore requires an encoder of type embedding');
});

test('an encoder behind the gateway embeds and classifies, but does not label tokens', async () => {
  const gateway = await scriptedModel(({ path, body: { input = [] } }) => ({
    json: {
      object: 'list',
      data: input.map((_, index) =>
        path.endsWith('/classify')
          ? { index, label: 'A', score: 0.75, scores: { A: 0.75, B: 0.25 } }
          : { index, embedding: [1, 0] },
      ),
      usage: { prompt_tokens: 6, total_tokens: 6 },
    },
  }));
  const tools = toolsOf({ gateway: { url: gateway.url, token: 't' } });
  const backend: Backend = { kind: 'gateway', model: 'encoder:mood' };
  const rows = [{ examples: 'x', reference: 'y' }, { examples: 'z' }];
  const classified = await withWork(inferenceOf(backend), (work) => runAll(work, rows), { tools });
  expect(classified).toMatchObject({ failed: 0, usage: { promptTokens: 6, completionTokens: 0 } });
  expect(classified.rows[1]).toMatchObject({ predictions: 'A', scores: { A: 0.75, B: 0.25 } });
  const embedded = await withWork(inferenceOf(backend, { task }), (work) => runAll(work, rows), { tools });
  expect(embedded.rows).toMatchObject([{ predictions: [1, 0], cosine: 1 }, { cosine: null }]);
  expect(gateway.asked.map(({ path, body }) => [path, body.model, body.input?.length])).toEqual([
    ['/v1/classify', 'encoder:mood', 2],
    ['/v1/embeddings', 'encoder:mood', 3],
  ]);
  await expect(
    withWork(inferenceOf(backend, { task: { task: 'token-classification' } }), async () => undefined, {
      tools,
    }),
  ).rejects.toThrow('cannot label tokens');
  await expect(
    withWork(inferenceOf(backend, { task: { task: 'summarization' } }), async () => undefined, { tools }),
  ).rejects.toThrow('is not a generative model');
});
