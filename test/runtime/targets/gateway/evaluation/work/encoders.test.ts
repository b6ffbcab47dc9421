import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import type { Backend, TaskDefinition } from '#gateway/evaluation/work/work.ts';
import { evaluationOf, inferenceOf, runAll, withWork } from './working.ts';
import { builtExecutable } from '#test/helpers/built.ts';

const fileOf = (model: string): Backend => ({
  kind: 'encoder-file',
  path: builtExecutable(model),
});

async function answersOf(model: string, task: TaskDefinition, rows: readonly RowCells[]) {
  const { outcome, result } = await withWork(inferenceOf(fileOf(model), { task }), async (work) => {
    const outcome = await runAll(work, rows);
    return { outcome, result: work.result() };
  });
  expect(outcome.firstError).toBeUndefined();
  expect(outcome.usage.promptTokens).toBeGreaterThan(rows.length);
  return { rows: outcome.rows, result };
}

async function valuesOf(task: TaskDefinition, rows: readonly RowCells[], metrics: readonly string[]) {
  return withWork(evaluationOf({ task, metrics }), async (work) => {
    const { failed } = await runAll(work, rows);
    expect(failed).toBe(0);
    return work.result().metrics;
  });
}

test('an executable classifies texts', async () => {
  const task = { task: 'text-classification' } as const;
  const rows = ['I love this.', 'I hate this.', 'Awful!'].map((examples) => ({
    examples,
    ground_truth: 'NEGATIVE',
  }));
  const answers = await answersOf('sentiment', task, rows);
  expect(answers.result.parameters).toMatchObject({ labels: ['NEGATIVE', 'POSITIVE'] });
  const scores = answers.rows[0]?.['scores'] as Record<string, number>;
  expect((scores['POSITIVE'] ?? 0) + (scores['NEGATIVE'] ?? 0)).toBeCloseTo(1, 5);
  const right = answers.rows.filter((row) => row['predictions'] === 'NEGATIVE').length;
  const values = await valuesOf(task, answers.rows, ['accuracy', 'log_loss']);
  expect(values).toMatchObject({ accuracy: right / 3, log_loss: expect.any(Number) });
});

test('an executable labels words', async () => {
  const task = { task: 'token-classification' } as const;
  const rows = [{ examples: '🌍 Anna lives in Berlin.', ground_truth: 'O B-PER O O B-LOC' }];
  const answers = await answersOf('ner', task, rows);
  expect(answers.rows[0]?.['predictions']).toHaveLength(5);
  const values = await valuesOf(task, answers.rows, ['span_f1', 'token_accuracy']);
  expect(values['token_accuracy']).toBeGreaterThanOrEqual(0);
  const itself = answers.rows.map((row) => ({ ...row, ground_truth: row['spans'] ?? null }));
  expect(await valuesOf(task, itself, ['span_f1'])).toBeDefined();
});

test.each(['embedder', 'sentence'])('an executable computes embeddings: %s', async (model) => {
  const task = { task: 'feature-extraction' } as const;
  const rows = [
    { examples: 'Anna lives in Berlin.', reference: 'Anna lives in Berlin.' },
    { examples: 'Anna lives in Berlin.', reference: 'No, thanks!' },
  ];
  const answers = await answersOf(model, task, rows);
  const vector = answers.rows[0]?.['predictions'] as number[];
  expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
  expect(answers.rows[0]?.['cosine']).toBeCloseTo(1, 4);
  expect(await valuesOf(task, answers.rows, ['cosine'])).toEqual({ cosine_mean: expect.any(Number) });
});

test('an executable computes BERTScore', async () => {
  const spec = evaluationOf({
    task: { task: 'summarization' },
    metrics: ['bertscore'],
    embedder: { backend: fileOf('embedder') },
  });
  const text = 'Anna lives in Berlin.';
  const rows = [
    { examples: 'x', ground_truth: text, predictions: text },
    { examples: 'x', ground_truth: text, predictions: 'No, thanks!' },
  ];
  const outcome = await withWork(spec, (work) => runAll(work, rows));
  expect(outcome.failed).toBe(0);
  const [same, other] = outcome.rows.map((row) => Number(row['bertscore_f1_mean']));
  expect(same).toBeCloseTo(1, 5);
  expect(other).toBeLessThan(same ?? 0);
});

test('a text that an executable rejects fails only its own row, and a model of the wrong type fails immediately', async () => {
  const rows = [{ examples: 'fine' }, { examples: '' }, { examples: 'fine, too' }];
  const outcome = await withWork(inferenceOf(fileOf('sentiment')), (work) => runAll(work, rows));
  expect(outcome.failed).toBe(1);
  expect(outcome.firstError).toContain('Cannot tokenize empty string');
  await expect(withWork(inferenceOf(fileOf('ner')), async () => undefined)).rejects.toThrow(
    'is a model of type token_classification',
  );
  await expect(
    withWork(inferenceOf({ kind: 'encoder-file', path: '/nowhere.encoder' }), async () => undefined),
  ).rejects.toThrow('Cannot start `');
});

test.runIf(process.platform === 'linux')('a killed executable is restarted', async () => {
  const before = new Set(childrenOf(process.pid));
  const rows = [{ examples: 'I love this.' }];
  await withWork(inferenceOf(fileOf('sentiment')), async (work) => {
    const first = await runAll(work, rows);
    const started = childrenOf(process.pid).filter((pid) => !before.has(pid));
    const encoder = started.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('.encoder'));
    process.kill(encoder ?? Number.NaN, 'SIGKILL');
    const second = await runAll(work, rows);
    expect(second.rows[0]?.['error']).toBeNull();
    expect(second.rows[0]?.['scores']).toEqual(first.rows[0]?.['scores']);
  });
});

test.runIf(process.platform === 'linux')('an executable exits when its job process is killed', async () => {
  const program = join(import.meta.dirname, 'encoder-file-process.ts');
  const child = spawn(process.execPath, [program, builtExecutable('sentiment')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const children = childrenOf(child.pid as number);
  child.kill('SIGKILL');
  await exited;
  // The encoder and the shell that stops it.
  expect(children).toHaveLength(2);
  for (const pid of children) await expect.poll(() => isRunning(pid)).toBe(false);
});

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    .filter((child) => child !== '')
    .map(Number);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
