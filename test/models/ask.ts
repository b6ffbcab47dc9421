import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { bodyFor, type ModelTask, rowOf } from './tasks.ts';

/** One row per text: a vector, the logits of the text, or the logits of all its tokens. */
export type Rows = readonly (readonly number[])[];

export interface Answers {
  /** Each text in a separate request, one after another. */
  readonly alone: Rows;
  /** All texts in one request. */
  readonly together: Rows;
  /** Each text in a separate request, all concurrently. */
  readonly atOnce: Rows;
  /** The vectors from `infer --input`, which prints no logits for classifiers. */
  readonly file: Rows | undefined;
  /** Median time of a request with one text, in milliseconds. */
  readonly milliseconds: number;
}

/** Runs the texts through an executable, individually and together. */
export async function askExecutable(
  path: string,
  texts: readonly string[],
  task: ModelTask | undefined,
): Promise<Answers> {
  const flags = ['--http-hostname', '127.0.0.1', '--http-port', '0', '--grpc-port', '0'];
  const running = startExecutable(path, ['serve', ...flags]);
  try {
    const port = portIn(await running.said(/"msg":"serving"/), 'HTTP');
    const ask = (asked: readonly string[]): Promise<Rows> => predict(port, bodyFor(task, asked));
    const alone: (readonly number[])[] = [];
    for (const text of texts) alone.push(...(await ask([text])));
    const milliseconds = await medianTime(texts, ask);
    const together = await ask(texts);
    const atOnce = (await Promise.all(texts.map((text) => ask([text])))).flat();
    const empty = await post(port, bodyFor(task, ['']));
    if (empty.status !== 422) throw new Error(`status ${empty.status} for an empty text`);
    const file = task === undefined ? await inferVectors(path, texts) : undefined;
    return { alone, together, atOnce, file, milliseconds };
  } finally {
    running.child.kill('SIGTERM');
    await running.ended;
  }
}

const ROUNDS = 5;

/** The executable has already processed each text once. */
async function medianTime(
  texts: readonly string[],
  ask: (asked: readonly string[]) => Promise<Rows>,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const text of texts) {
      const start = performance.now();
      await ask([text]);
      times.push(performance.now() - start);
    }
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function predict(port: number, body: object): Promise<Rows> {
  const { status, text, rows } = await post(port, body);
  if (status !== 200) throw new Error(`/predict answers ${status}: ${text}`);
  return rows;
}

async function post(port: number, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const results: readonly Parameters<typeof rowOf>[0][] = response.ok ? JSON.parse(text).results : [];
  const rows = results.map((result) => rowOf(result));
  return { status: response.status, text, rows };
}

/** Vectors of texts, from `infer --input`. */
export async function inferVectors(path: string, texts: readonly string[]): Promise<Rows> {
  const folder = await mkdtemp(join(tmpdir(), 'encoderfile-models-'));
  try {
    const [input, output] = [join(folder, 'texts.jsonl'), join(folder, 'results.jsonl')];
    await writeFile(input, texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
    await execa(path, ['infer', '--input', input, '--output', output]);
    const lines = (await readFile(output, 'utf8')).trim().split('\n');
    return lines.map((line): readonly number[] => JSON.parse(line).embedding);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
