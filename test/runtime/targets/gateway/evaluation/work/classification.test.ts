import { expect, test } from 'vitest';
import type { InferenceSpec } from '#gateway/evaluation/work/work.ts';
import type { Json } from '#gateway/providers/shapes/chat.ts';
import { startFixture } from '../../fixture-provider.ts';
import { encoderAt, evaluationOf, inferenceOf, runAll, signal, withWork } from './working.ts';

const encoder = await startFixture('encoder');
const ROWS = [
  { examples: 'an attack', ground_truth: 'INJECTION' },
  { examples: 'hello', ground_truth: 'SAFE' },
  { examples: 'an attack that is none', ground_truth: 'SAFE' },
];
const METRICS = ['accuracy', 'f1', 'confusion_matrix', 'log_loss', 'ece'];

test('an encoder at a URL gets one request per batch, and its results are evaluated', async () => {
  const before = await encoder.counts();
  const { rows, result } = await withWork(inferenceOf(encoderAt(encoder.url)), async (work) => {
    const outcome = await runAll(work, ROWS);
    return { rows: outcome.rows, result: work.result() };
  });
  const { requests } = await encoder.counts();
  expect(requests).toBe((before['requests'] ?? 0) + 1);
  expect(rows[0]).toMatchObject({
    ...ROWS[0],
    predictions: 'INJECTION',
    scores: { INJECTION: 0.9375, SAFE: 0.0625 },
    error: null,
    latency_ms: expect.any(Number),
  });
  expect(result.metrics).toMatchObject({ avg_prompt_tokens: 8 / 3, error_rate: 0 });
  expect(result.parameters).toMatchObject({
    model_type: 'sequence_classification',
    labels: ['SAFE', 'INJECTION'],
  });

  const evaluated = await withWork(evaluationOf({ metrics: METRICS }), async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(evaluated.outcome.rows.map((row) => row['accuracy'])).toEqual([1, 1, 0]);
  expect(evaluated.outcome.rows[2]).toMatchObject({
    predictions: 'INJECTION',
    ground_truth: 'SAFE',
    log_loss: -Math.log(0.0625),
  });
  const { metrics, details } = evaluated.result;
  expect(metrics).toMatchObject({ accuracy: 2 / 3, f1_micro: 2 / 3, ece: expect.any(Number) });
  expect(metrics).not.toHaveProperty('mcc');
  expect(details).toMatchObject({
    rows: 3,
    failed_rows: 0,
    classification: {
      confusion_matrix: [
        [1, 0],
        [1, 1],
      ],
      labels_unknown_to_the_model: [],
    },
  });
});

test('a text that the model rejects fails only its own row', async () => {
  const rows = ['one', 'a poison', 'two', 'an attack'].map((examples) => ({ examples }));
  const outcome = await withWork(inferenceOf(encoderAt(encoder.url)), (work) => runAll(work, rows));
  expect(outcome.failed).toBe(1);
  expect(outcome.firstError).toContain('One text is poisoned.');
  expect(outcome.rows.map((row) => row['predictions'])).toEqual(['SAFE', null, 'SAFE', 'INJECTION']);
  expect(outcome.rows[1]).toMatchObject({ error: outcome.firstError, scores: null });
});

test('transient errors are retried, and permanent errors are reported', async () => {
  const flaky = await withWork(inferenceOf(encoderAt(`${encoder.url}/flaky`)), async (work) => [
    await runAll(work, ROWS),
    await runAll(work, ROWS),
  ]);
  expect(flaky.map(({ failed }) => failed)).toEqual([0, 0]);
  await expect(
    withWork(inferenceOf(encoderAt(`${encoder.url}/down`)), async () => undefined),
  ).rejects.toThrow(/^The encoder at .* failed with status 503/);
  await expect(withWork(inferenceOf(encoderAt('http://127.0.0.1:9')), async () => undefined)).rejects.toThrow(
    'is unreachable (ECONNREFUSED).',
  );
});

test('a model of the wrong type is rejected before any row', async () => {
  await expect(
    withWork(inferenceOf(encoderAt(`${encoder.url}/tagger`)), async () => undefined),
  ).rejects.toMatchObject({
    code: 'InputError',
    message: expect.stringContaining(
      'is a model of type token_classification; this task requires a model of type sequence_classification.',
    ),
  });
});

test('an aborted batch is not counted in the checkpoint', async () => {
  const stop = new AbortController();
  await withWork(inferenceOf(encoderAt(encoder.url)), async (work) => {
    stop.abort();
    await expect(work.run({ firstRow: 0, rows: ROWS }, stop.signal)).rejects.toThrow('aborted');
    expect(work.checkpoint()).toMatchObject({ rows: 0 });
    expect((await work.run({ firstRow: 0, rows: ROWS }, signal)).failed).toBe(0);
    expect(work.checkpoint()).toMatchObject({ rows: ROWS.length });
  });
});

test('unknown labels and rows without a response are reported without a crash', async () => {
  const scores = { GOOD: 0.75, BAD: 0.25 };
  const rows = [
    { examples: 'c', ground_truth: 'GOOD', predictions: null, scores: null, error: 'It was down.' },
    { examples: 'a', ground_truth: 'GOOD', predictions: 'GOOD', scores },
    { examples: 'b', ground_truth: 'UGLY', predictions: 'GOOD', scores },
    { examples: 'd', ground_truth: '', predictions: 'GOOD', scores },
  ];
  const { outcome, result } = await withWork(evaluationOf({ metrics: METRICS }), async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(outcome.failed).toBe(0);
  expect(outcome.rows.map((row) => row['error'])).toEqual([
    'It was down.',
    null,
    null,
    '`ground_truth` is missing.',
  ]);
  expect(outcome.rows[0]).toEqual({
    predictions: null,
    ground_truth: 'GOOD',
    accuracy: null,
    log_loss: null,
    error: 'It was down.',
  });
  expect(result.metrics['accuracy']).toBe(0.5);
  expect(result.details).toMatchObject({
    rows: 4,
    skipped_rows: 2,
    classification: { labels_unknown_to_the_model: ['UGLY'], labels_without_rows: ['BAD'] },
  });
});

test('a list as ground truth is treated as multiple labels', async () => {
  const scores = { a: 0.9, b: 0.6, c: 0.1 };
  const rows = [
    { examples: 'x', ground_truth: '["a", "b"]', predictions: 'a', scores },
    { examples: 'y', ground_truth: ['c'], predictions: 'a', scores: JSON.stringify(scores) },
  ];
  const metrics = ['accuracy', 'f1', 'log_loss'];
  const { outcome, result } = await withWork(evaluationOf({ metrics }), async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(outcome.rows.map((row) => row['subset_accuracy'])).toEqual([1, 0]);
  expect(result.metrics).toMatchObject({ subset_accuracy: 0.5, f1_samples: 0.5 });
  expect(result.details).toMatchObject({ undefined_metrics: { log_loss: 'No row was scored.' } });
});

test('evaluation resumes at the checkpoint with the same result', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({
    examples: `row ${at}`,
    ground_truth: at % 3 === 0 ? 'BAD' : 'GOOD',
    predictions: at % 4 === 0 ? 'BAD' : 'GOOD',
    scores: at % 4 === 0 ? { BAD: 0.75, GOOD: 0.25 } : { BAD: 0.125, GOOD: 0.875 },
  }));
  const spec = evaluationOf({ metrics: METRICS });
  const whole = await withWork(spec, async (work) => {
    for (const from of [0, 4, 8]) await runAll(work, rows.slice(from, from + 4), from);
    return work.result();
  });
  const checkpoint = await withWork(spec, async (work) => {
    await runAll(work, rows.slice(0, 4));
    const reached = JSON.stringify(work.checkpoint());
    // This batch is lost.
    await runAll(work, rows.slice(4, 8), 4);
    return JSON.parse(reached) as Json;
  });
  const resumed = await withWork(
    spec,
    async (work) => {
      await runAll(work, rows.slice(4), 4);
      return work.result();
    },
    { checkpoint },
  );
  expect(resumed).toEqual(whole);
  expect(whole.details).toMatchObject({ rows: 12 });
});

test('responses are written to the configured column, whose name must not be empty or reserved', async () => {
  const open = (own: Partial<InferenceSpec>) =>
    withWork(inferenceOf(encoderAt(encoder.url), own), (work) => runAll(work, ROWS.slice(0, 1)));
  for (const outputField of ['examples', 'ground_truth', 'scores', 'error', ' ']) {
    await expect(open({ outputField })).rejects.toThrow(
      'for the responses. Use a non-empty name other than ',
    );
  }
  const annotated = await open({ type: 'annotate', outputField: 'ground_truth' });
  expect(annotated.rows[0]).toMatchObject({ examples: 'an attack', ground_truth: 'INJECTION' });
  const { rows } = await open({ outputField: '__proto__' });
  expect(Object.entries(rows[0] ?? {})).toContainEqual(['__proto__', 'INJECTION']);
});
