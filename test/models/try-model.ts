import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import type { QuantizationAccuracy } from '#contract/quantization.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { type Answers, askExecutable, type Rows } from './ask.ts';
import { type ModelFiles, referencePython } from './fetch.ts';
import type { RealModel } from './real-model.ts';
import { LABELS, QUESTION } from './tasks.ts';
import { TEXTS } from './texts.ts';

type Asked = Pick<RealModel, 'name' | 'maxLength' | 'task' | 'pooling' | 'output' | 'texts' | 'settings'>;

export interface Difference {
  /** Size of the executable in bytes. */
  readonly size: number;
  /** The texts that can share a run. */
  readonly batches: string;
  /** The largest differences from ONNX Runtime in Python. */
  readonly alone: number;
  readonly others: number;
  /** The largest difference between the results of the reference itself with and without optimizations. */
  readonly rounding: number;
  /** Median time of a request with one text, in milliseconds. */
  readonly milliseconds: number;
}

/** Builds a model from its graph or safetensors in the folder `scratch`, and compares the executable with ONNX Runtime in Python. */
export async function tryModel(
  model: Asked,
  files: ModelFiles,
  weights: string,
  scratch: string,
): Promise<Difference> {
  const { executable, batches } = await build(model, files, weights, scratch);
  const texts = TEXTS[model.texts ?? 'prose'];
  const { results: expected, unoptimized } = await reference(model, files, texts);
  const answers = await askExecutable(executable, texts, model.task);
  return {
    size: statSync(executable).size,
    batches,
    alone: largestDifference(answers.alone, expected),
    others: Math.max(...othersOf(answers).map((each) => largestDifference(each, expected))),
    rounding: largestDifference(unoptimized, expected),
    milliseconds: answers.milliseconds,
  };
}

/** Measurements of a model's int8 form. */
export interface QuantizedModel {
  readonly size: number;
  readonly accuracy: QuantizationAccuracy;
  readonly milliseconds: number;
}

/**
 * Builds a model's int8 form regardless of its accuracy; undefined if there is nothing to quantize. A folder that is built without a
 * config file has no settings.
 */
export async function tryQuantized(
  model: Asked,
  files: ModelFiles,
  scratch: string,
): Promise<QuantizedModel | undefined> {
  if (files.folder !== undefined) return undefined;
  const settings = { ...model.settings, quantize: 'int8', min_cosine: 0, min_agreement: 0 };
  const texts = TEXTS[model.texts ?? 'prose'];
  try {
    const { executable, manifest } = await build({ ...model, settings }, files, files.graph, scratch);
    const { milliseconds } = await askExecutable(executable, texts, model.task);
    return { size: statSync(executable).size, accuracy: manifest.quantization.accuracy, milliseconds };
  } catch (error) {
    if (messageOf(error).includes('no float32 matrices')) return undefined;
    throw error;
  }
}

async function build(model: Asked, files: ModelFiles, weights: string, scratch: string) {
  const from =
    files.folder === undefined ? ['-f', writtenConfig(model, files, weights, scratch)] : [files.folder];
  const executable = join(scratch, 'model.encoder');
  const args = ['build', ...from, '--json', '-o', executable, '--cache-dir', TEST_CACHE];
  const { stdout } = await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args]);
  const { manifest } = JSON.parse(stdout);
  return { executable, manifest, batches: String(manifest.batching ?? 'any') };
}

/** Writes the config file of a model to the folder `scratch`, and returns its path. */
export function writtenConfig(
  { name, maxLength, task, pooling, settings }: Asked,
  files: ModelFiles,
  weights: string,
  scratch: string,
  file = 'encoderfile.yml',
): string {
  const config = join(scratch, file);
  const encoderfile = {
    name,
    path: {
      model_config_path: files.config,
      model_weights_path: weights,
      tokenizer_path: files.tokenizer,
    },
    model_type: task ?? 'sentence_embedding',
    max_length: maxLength,
    ...(task !== undefined || pooling === 'files'
      ? {}
      : { pooling: pooling === 'cls' ? 'cls' : 'mean', normalize: true }),
    ...settings,
  };
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify({ encoderfile }));
  return config;
}

async function reference(
  model: Asked,
  files: ModelFiles,
  texts: readonly string[],
): Promise<Record<'results' | 'unoptimized', Rows>> {
  const { maxLength, pooling, output, task } = model;
  const job = { onnx: files.graph, tokenizer: files.tokenizer, texts, maxLength, pooling, output, task };
  const asked = { ...job, question: QUESTION, labels: LABELS };
  const script = join(dirname(fileURLToPath(import.meta.url)), 'reference.py');
  const { stdout } = await execa(await referencePython(), [script], { input: JSON.stringify(asked) });
  const {
    results,
    unoptimized,
  }: Record<'results' | 'unoptimized', readonly (readonly (number | readonly number[])[])[]> =
    JSON.parse(stdout);
  const flat = (all: typeof results): Rows => all.map((rows) => rows.flat());
  return { results: flat(results), unoptimized: flat(unoptimized) };
}

function othersOf({ together, atOnce, file }: Answers): Rows[] {
  return file === undefined ? [together, atOnce] : [together, atOnce, file];
}

/** Relative to the largest value in a row if that is above 1, as for logits. Infinity if the number of values is not as expected. */
function largestDifference(actual: Rows, expected: Rows): number {
  const differences = expected.flatMap((row, index) => {
    const other = actual[index] ?? [];
    if (other.length !== row.length) return [Number.POSITIVE_INFINITY];
    const scale = row.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1);
    return row.map((value, column) => Math.abs(value - (other[column] ?? Number.NaN)) / scale);
  });
  return differences.reduce((largest, each) => (each > largest || Number.isNaN(each) ? each : largest), 0);
}
