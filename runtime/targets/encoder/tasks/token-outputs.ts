import type { TokenOutputName, TokenOutputs } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { sparseOfTokens, type SparseVector } from '../math/sparse.ts';
import { normalizeL2 } from '#core/vectors/vectors.ts';
import { finiteOutput } from './finite-output.ts';
import type { Inference, ResultOptions } from './task.ts';

/** The sparse vector of a text, from the weights of its tokens. */
export function sparseOutput(
  inference: Inference,
  manifest: Manifest,
  { maxActiveDims }: Pick<ResultOptions, 'maxActiveDims'>,
): SparseVector {
  const [weights, { sparse }] = rowsOf(inference, manifest, 'sparse');
  const finite = finiteOutput(weights, sparse);
  return sparseOfTokens(inference.text.ids, finite, sparse.skipped, maxActiveDims);
}

/** The vectors of all tokens but the first one, which stands for the whole text. */
export function vectorsOutput(
  inference: Inference,
  manifest: Manifest,
  { normalize, dimensions }: Pick<ResultOptions, 'normalize' | 'dimensions'>,
): Float32Array[] {
  const [values, { multiVector }] = rowsOf(inference, manifest, 'multi_vector');
  const { width, hasFirst } = multiVector;
  return Array.from({ length: Math.max(0, inference.text.ids.length - 1) }, (_, at) => {
    const start = (at + (hasFirst ? 1 : 0)) * width;
    const row = values.subarray(start, start + Math.min(width, dimensions ?? width));
    const vector = finiteOutput(row, multiVector);
    return normalize ? normalizeL2(vector) : vector;
  });
}

function rowsOf(
  { tokenOutputs: rows }: Inference,
  { tokenOutputs: settings }: Manifest,
  name: TokenOutputName,
): [rows: Float32Array, settings: TokenOutputs] {
  const values = rows?.[name];
  if (!values || !settings) throw new Error(`the output ${name} was not computed`);
  return [values, settings];
}
