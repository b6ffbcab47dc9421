import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { interleave, median } from '../bench/measure/rounds.ts';
import { megabytes, printTable } from '../bench/measure/print.ts';
import { largestDifference } from '../helpers/close.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { exportPython } from '../models/export.ts';
import { type Head, HEADS, SIZED_ARCHITECTURES, type SizedArchitecture } from './list.ts';
import { type ServedModel, serveModel } from './served-model.ts';
import { TEXTS, textOf } from './texts.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:architectures [-- MODEL_TYPE...]`: builds models of published sizes from safetensors, compares them with transformers, and
// compares their CPU time with that of an executable built from an ONNX export. Exit code 1 if a value differs by more than the limit.

/** Relative to the largest value of a model, because values of random models can be large. */
const LIMIT = 1e-5;
const ROUNDS = 7;
const TEXTS_PER_REQUEST = 8;

const rows: string[][] = [];
for (const architecture of chosen(SIZED_ARCHITECTURES, ({ name }) => name)) {
  for (const head of architecture.heads) rows.push(await rowOf(architecture, head));
}
printTable(
  [
    'model_type',
    'head',
    'largest difference',
    'build',
    'executable',
    'texts/s',
    'exported by',
    'texts/s',
    'ratio',
  ],
  rows,
);

async function rowOf(architecture: SizedArchitecture, head: Head): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-architectures-'));
  try {
    const row = [architecture.name, head, ...(await compare(architecture, head, scratch))];
    console.error(row.join('  '));
    return row;
  } catch (error) {
    process.exitCode = 1;
    console.error(`FAILED: ${architecture.name}, ${head}: ${messageOf(error)}`);
    return [architecture.name, head, 'FAILED'];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function compare(architecture: SizedArchitecture, head: Head, scratch: string): Promise<string[]> {
  const made = await make(architecture, head, scratch);
  const started = performance.now();
  const ours = await build(join(scratch, 'safetensors'), head, join(scratch, 'ours.encoder'));
  const seconds = (performance.now() - started) / 1000;
  const export_ = made.exporter
    ? await build(join(scratch, 'export'), head, join(scratch, 'export.encoder'))
    : undefined;
  const served = await serveModel(ours);
  const other = export_ === undefined ? undefined : await serveModel(export_);
  try {
    const difference = await differenceFrom(made.expected, served);
    if (!(difference <= LIMIT)) throw new Error(`differs by ${difference} of the largest number`);
    const load = await measure(served, other);
    return [
      difference.toExponential(1),
      `${seconds.toFixed(1)} s`,
      megabytes(statSync(ours).size),
      load.ours.toFixed(0),
      made.exporter ?? 'none',
      load.other === undefined ? '-' : load.other.toFixed(0),
      load.other === undefined ? '-' : (load.ours / load.other).toFixed(2),
    ];
  } finally {
    await served.stop();
    await other?.stop();
  }
}

interface Made {
  readonly expected: readonly (readonly number[])[];
  readonly exporter: string | null;
}

async function make({ config, types }: SizedArchitecture, head: Head, into: string): Promise<Made> {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'make.py');
  const job = { config, types, head, into, texts: TEXTS.slice(0, TEXTS_PER_REQUEST) };
  const { stdout } = await execa(await exportPython(), [script], { input: JSON.stringify(job) });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Builds a model folder; the first build in a clone also builds the base runtime. */
async function build(model: string, head: Head, executable: string): Promise<string> {
  const config = `${executable}.yml`;
  const encoderfile = { name: 'model', path: model, max_length: 256, ...HEADS[head] };
  writeFileSync(config, JSON.stringify({ encoderfile }));
  const args = ['build', '-f', config, '-o', executable, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args]);
  return executable;
}

async function differenceFrom(expected: Made['expected'], model: ServedModel): Promise<number> {
  const texts = TEXTS.slice(0, expected.length).map(textOf);
  const alone = (await Promise.all(texts.map((text) => model.predict([text])))).flat();
  const together = await model.predict(texts);
  const wanted = expected.flat();
  const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  return (
    Math.max(largestDifference(alone.flat(), wanted), largestDifference(together.flat(), wanted)) / largest
  );
}

/** Texts per second of CPU time, which is least affected by other load. */
async function measure(
  ours: ServedModel,
  other: ServedModel | undefined,
): Promise<{ readonly ours: number; readonly other: number | undefined }> {
  const contestant = (model: ServedModel) => async (): Promise<number> => {
    const before = model.processorTime();
    for (let at = 0; at < TEXTS.length; at += TEXTS_PER_REQUEST) {
      await model.predict(TEXTS.slice(at, at + TEXTS_PER_REQUEST).map(textOf));
    }
    return model.processorTime() - before;
  };
  const contestants: Record<string, () => Promise<number>> = { ours: contestant(ours) };
  if (other) contestants['other'] = contestant(other);
  await interleave(contestants, 2);
  const measured = await interleave(contestants, ROUNDS);
  const rate = (milliseconds: readonly number[] = []): number => (TEXTS.length * 1000) / median(milliseconds);
  return { ours: rate(measured['ours']), other: other && rate(measured['other']) };
}
