import type { RunRules } from '#contract/batching.ts';
import { type GpuPrecision, MAX_GPU_DIFFERENCE } from '#contract/devices.ts';
import { configError } from '#contract/errors.ts';
import { EMBEDDING_OUTPUTS, type TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import type { BatchOutput, RawOutput } from '#core/model/raw-output.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { padBatch, type TokenBatch } from '../batch.ts';
import type { InferenceThread } from '../inference-thread.ts';
import type { MeasuredRun } from './gpu-plan.ts';

type Runner = Pick<InferenceThread, 'run'>;

/** Inputs that are run together: texts, or images. */
export type ProbeInputs = readonly TokenizedText[];

/** The results of a CPU, with which those of a GPU are compared, and their durations. */
export interface Reference {
  readonly batches: readonly { readonly batch: TokenBatch; readonly output: BatchOutput }[];
  readonly run: MeasuredRun;
}

/** Runs the inputs on the CPU. `share` is the number of threads that run such batches concurrently. */
export async function runReference(
  cpu: Runner,
  groups: readonly ProbeInputs[],
  manifest: Manifest,
  share: number,
): Promise<Reference> {
  const { padId } = manifest.tokenizer;
  const batches = [];
  for (const inputs of groups) {
    const batch = padBatch(inputs, padId);
    batches.push({ batch, output: await cpu.run(batch, outputsOf(manifest, batch)) });
  }
  const longest = longestOf(groups);
  const { tokens, milliseconds } = await timed(cpu, [longest], padId);
  return { batches, run: { tokens, milliseconds: milliseconds / share } };
}

/** Throws if the GPU, which computes with `precision`, returns other results than the CPU. */
export async function compareWithCpu(
  gpu: Runner,
  { batches }: Reference,
  manifest: Manifest,
  precision: GpuPrecision,
): Promise<void> {
  const maximum = MAX_GPU_DIFFERENCE[manifest.precision === 'float16' ? 'float16' : precision];
  for (const { batch, output } of batches) {
    const found = await gpu.run(batch, outputsOf(manifest, batch));
    const difference = greatest([
      differenceOf(output, found),
      ...Object.entries(output.tokenOutputs ?? {}).map(([name, expected]) =>
        differenceOf(expected, found.tokenOutputs?.[name as keyof typeof found.tokenOutputs]),
      ),
    ]);
    if (difference > maximum) {
      throw configError(
        `its results differ from those of the CPU by ${difference.toExponential(1)}, and the maximum is ${maximum}`,
      );
    }
  }
}

/** Measures batches of increasing size, until they are large or slow, or do not fit into the GPU's memory. */
export async function measureGpu(
  gpu: Runner,
  groups: readonly ProbeInputs[],
  manifest: Manifest,
): Promise<MeasuredRun[]> {
  const longest = longestOf(groups);
  const runs: MeasuredRun[] = [];
  for (const rows of sizesFor(longest.ids.length, manifest)) {
    const batch = Array.from({ length: rows }, () => longest);
    try {
      const run = await timed(gpu, batch, manifest.tokenizer.padId);
      runs.push(run);
      if (run.milliseconds > MAX_PROBE_MS) break;
    } catch (error) {
      if (runs.length === 0) throw error;
      break;
    }
  }
  return runs;
}

/** Larger batches were slower per text on the measured GPU (docs/decisions/0140). */
const MAX_BATCH_TOKENS = 8192;
const BATCH_TOKENS = [1024, 2048, MAX_BATCH_TOKENS];
/** If a batch takes longer than this, larger ones are not measured. */
const MAX_PROBE_MS = 250;

/** Numbers of texts in the measured batches. */
function sizesFor(tokens: number, { batching, fixedShape }: RunRules): number[] {
  const limit = batching === 'single' ? 1 : (fixedShape?.texts ?? Infinity);
  const sizes = [1, ...BATCH_TOKENS.map((size) => Math.floor(size / Math.max(1, tokens)))];
  return [...new Set(sizes.map((size) => Math.max(1, Math.min(size, limit))))];
}

/** The duration of the second of two runs, because the first one of each size prepares it. */
async function timed(runner: Runner, inputs: ProbeInputs, padId: number): Promise<MeasuredRun> {
  const batch = padBatch(inputs, padId);
  await runner.run(batch);
  const started = performance.now();
  await runner.run(batch);
  return { tokens: batch.ids.length, milliseconds: performance.now() - started };
}

function longestOf(groups: readonly ProbeInputs[]): TokenizedText {
  const [first, ...others] = groups.flat();
  if (!first) throw new Error('no inputs to compare the devices with');
  return others.reduce((longest, text) => (text.ids.length > longest.ids.length ? text : longest), first);
}

const outputsOf = ({ tokenOutputs }: Manifest, { images }: TokenBatch): TokenOutputName[] =>
  tokenOutputs && !images ? tokenOutputsAmong(EMBEDDING_OUTPUTS) : [];

/** The largest difference, relative to the largest value. */
function differenceOf(expected: RawOutput, found: RawOutput | undefined): number {
  if (found?.dims.join() !== expected.dims.join()) return Infinity;
  let difference = 0;
  let largest = 1;
  for (const [at, value] of expected.data.entries()) {
    const other = found.data[at] ?? Number.NaN;
    if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
    if (Object.is(value, other)) continue;
    if (!Number.isFinite(value) || !Number.isFinite(other)) return Infinity;
    difference = Math.max(difference, Math.abs(value - other));
  }
  return difference / largest;
}
