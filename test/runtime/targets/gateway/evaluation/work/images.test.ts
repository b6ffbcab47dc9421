import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { Backend, TaskDefinition } from '#gateway/evaluation/work/work.ts';
import { callBatched } from '#gateway/evaluation/work/inference/call-batched.ts';
import { imageName } from '#gateway/store/image-name.ts';
import { systemClock } from '#platform/clock.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { expectClose } from '#test/helpers/close.ts';
import { DETECTION } from '#test/helpers/golden-detection.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';
import { startFixture } from '../../fixture-provider.ts';
import { encoderAt, evaluationOf, inferenceOf, runAll, signal, withWork } from './working.ts';

const encoder = await startFixture('encoder');
const fileOf = (model: string): Backend => ({ kind: 'encoder-file', path: builtExecutable(model) });
const names = SHAPES.map(({ base64 }) => imageName(base64));

async function inferred(backend: Backend, task: TaskDefinition, rows: readonly RowCells[]) {
  const outcome = await withWork(inferenceOf(backend, { task }), (work) => runAll(work, rows));
  expect(JSON.stringify(outcome)).not.toContain(SHAPES[0]?.base64.slice(20, 60));
  return outcome;
}
const evaluated = (task: TaskDefinition, metrics: readonly string[], rows: readonly RowCells[]) =>
  withWork(evaluationOf({ task, metrics }), async (work) => {
    const { failed } = await runAll(work, rows);
    expect(failed).toBe(0);
    return work.result();
  });

test('an executable classifies images, and the outputs contain the names of the images', async () => {
  const task = { task: 'image-classification' } as const;
  const rows = SHAPES.map(({ base64, label }, at) => ({
    examples: at % 2 === 0 ? base64 : `data:image/png;base64,${base64}`,
    ground_truth: label,
  }));
  const { rows: answers, failed, usage } = await inferred(fileOf('shapes'), task, rows);
  expect([failed, usage.promptTokens]).toEqual([0, SHAPES.length * 4]);
  expect(answers.map(({ examples }) => examples)).toEqual(names);
  expect(answers.map(({ predictions }) => predictions)).toEqual(SHAPES.map(({ label }) => label));
  const wrong = answers.map((row, at) => (at === 0 ? { ...row, ground_truth: 'stripes' } : row));
  const { metrics, details } = await evaluated(
    task,
    ['accuracy', 'top_2_accuracy', 'confusion_matrix'],
    wrong,
  );
  expect(metrics['accuracy']).toBe(1 - 1 / SHAPES.length);
  expect(metrics['top_2_accuracy']).toBeGreaterThanOrEqual(metrics['accuracy'] ?? 1);
  expect(details).toMatchObject({ classification: { confusion_matrix: expect.any(Array) } });
});

test('an executable computes vectors of images, references and candidates', async () => {
  const task = { task: 'image-feature-extraction' } as const;
  const [one, two] = SHAPES.map(({ base64 }) => base64);
  const rows = SHAPES.map(({ base64 }) => ({
    examples: base64,
    reference: one ?? '',
    candidates: [two ?? '', base64],
    ground_truth: 1,
  }));
  const { rows: answers, failed } = await inferred(fileOf('patches'), task, rows);
  expect(failed).toBe(0);
  for (const [at, { patches, name }] of SHAPES.entries()) {
    const norm = Math.hypot(...patches);
    expectClose(
      answers[at]?.['predictions'] as number[],
      patches.map((value) => value / norm),
      name,
    );
    expect(answers[at]).toMatchObject({
      examples: names[at],
      reference: names[0],
      candidates: [names[1], names[at]],
    });
  }
  const { metrics } = await evaluated(task, ['recall_at_1', 'cosine'], answers);
  // The second image is both of its candidates.
  expect(metrics['recall_at_1']).toBeGreaterThanOrEqual(1 - 1 / SHAPES.length);
  expect(metrics['cosine_mean']).toBeLessThan(1);
});

test('an executable finds the objects of transformers, and their own boxes as ground truth have the highest precision', async () => {
  const task = { task: 'object-detection' } as const;
  const expected = SHAPES.map(({ name }) => DETECTION['boxes']?.[name] ?? []);
  const rows = SHAPES.map(({ base64 }, at) => ({
    examples: base64,
    ground_truth: (expected[at] ?? [])
      .filter(({ score }) => score > 0.5)
      .map(({ label, box: [xmin, ymin, xmax, ymax] }) => ({ label, box: { xmin, ymin, xmax, ymax } })),
  }));
  const { rows: answers, failed } = await inferred(fileOf('boxes'), task, rows);
  expect(failed).toBe(0);
  for (const [at, objects] of expected.entries()) {
    const found = answers[at]?.['predictions'] as { label: string; score: number }[];
    const sure = found.filter(({ score }) => score > 0.5);
    const wanted = objects.filter(({ score }) => score > 0.5);
    expect(sure.map(({ label }) => label)).toEqual(wanted.map(({ label }) => label));
    expectClose(
      sure.map(({ score }) => score),
      wanted.map(({ score }) => score),
      String(at),
    );
  }
  const { metrics } = await evaluated(task, ['map', 'map_50'], answers);
  expect(metrics).toMatchObject({ map: 1, map_50: 1 });
});

test('recorded objects of a detector are evaluated as in pycocotools', async () => {
  const task = { task: 'object-detection' } as const;
  const [one = '', two = '', three = ''] = SHAPES.map(({ base64 }) => base64);
  const rows = [
    { examples: one, ground_truth: [{ label: 'shape', box: { xmin: 4, ymin: 4, xmax: 28, ymax: 28 } }] },
    // 24 x 24 of 24 x 40 pixels: an overlap of 0.6.
    { examples: two, ground_truth: JSON.stringify([{ label: 'shape', bbox: [4, 4, 24, 40] }]) },
    { examples: three, ground_truth: [] },
  ];
  const { rows: answers, failed } = await inferred(encoderAt(`${encoder.url}/detector`), task, rows);
  expect(failed).toBe(0);
  // Objects with low scores count as well.
  expect(answers[0]?.['predictions']).toMatchObject([{ score: 0.9 }, { score: 0.05, box: { xmin: 0.5 } }]);
  const { metrics, details } = await evaluated(
    task,
    ['map', 'map_50', 'map_75', 'per_label'],
    answers.slice(0, 2),
  );
  const half = 51 / 101;
  expect(metrics['map']).toBeCloseTo((3 + 7 * half) / 10, 12);
  expect(metrics['map_50']).toBeCloseTo(1, 12);
  expect(metrics['map_75']).toBeCloseTo(half, 12);
  expect(details).toMatchObject({ detection: { per_label: [{ label: 'shape', support: 2 }] } });
  // An object in an empty image is wrong, with the same score as the right ones before it.
  const empty = await evaluated(task, ['map_50'], [answers[2] ?? {}, ...answers.slice(0, 2)]);
  expect(empty.metrics['map_50']).toBeCloseTo(2 / 3, 12);
});

test('an image that an executable rejects fails only its own row', async () => {
  const header = Buffer.from(SHAPES[0]?.base64 ?? '', 'base64');
  header.writeUInt32BE(60_000, 16);
  header.writeUInt32BE(60_000, 20);
  const rows = [
    { examples: SHAPES[0]?.base64 ?? '' },
    { examples: header.toString('base64') },
    { examples: `${encoder.url}/circle.png` },
    { examples: SHAPES[1]?.base64 ?? '' },
  ];
  const before = (await encoder.counts())['requests'];
  const task = { task: 'image-classification' } as const;
  const { rows: answers, failed } = await inferred(fileOf('shapes'), task, rows);
  expect([failed, (await encoder.counts())['requests']]).toEqual([2, before]);
  expect(answers.map(({ error }) => error)).toEqual([
    null,
    expect.stringContaining('60000 x 60000 pixels'),
    expect.stringContaining('images are not fetched from URLs'),
    null,
  ]);
});

test('models of other types are rejected, and language models as well', async () => {
  const open = (backend: Backend, task: TaskDefinition) =>
    withWork(inferenceOf(backend, { task }), async () => undefined);
  await expect(open(fileOf('sentiment'), { task: 'image-classification' })).rejects.toThrow(
    'is a model of type sequence_classification; this task requires a model of type image_classification.',
  );
  await expect(open(fileOf('shapes'), { task: 'text-classification' })).rejects.toThrow(
    'is a model of type image_classification',
  );
  await expect(
    open({ kind: 'gateway', model: 'encoder:detector' }, { task: 'object-detection' }),
  ).rejects.toThrow('cannot find objects. Use an encoder of type object_detection, by URL or as a file.');
  await expect(
    open({ kind: 'gateway', model: 'openai:good' }, { task: 'image-classification' }),
  ).rejects.toThrow('cannot return scores for labels. Use an encoder of type image_classification.');
});

test('large images are sent in several requests', async () => {
  const sizes: number[] = [];
  const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(3_000_000));
  const { answers } = await callBatched(
    texts,
    async (part) => {
      sizes.push(part.length);
      return { values: part.map((text) => text[0]), tokens: 1 };
    },
    { clock: systemClock, signal },
  );
  expect(sizes).toEqual([2, 2, 2, 2]);
  expect(answers.map((answer) => 'value' in answer && answer.value)).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
  ]);
  const huge = await callBatched(['x'.repeat(9_000_000)], async () => ({ values: [1], tokens: 1 }), {
    clock: systemClock,
    signal,
  });
  expect(huge.answers).toMatchObject([{ value: 1 }]);
});
