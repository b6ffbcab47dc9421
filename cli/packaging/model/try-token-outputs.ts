import { configError } from '#contract/errors.ts';
import type { TokenOutputs } from '#contract/embedding-outputs.ts';
import type { OnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { RewrittenGraph } from './rewrite-graph.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** The texts have different lengths, so that no two axes of an output have the same size. */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.'];

/** Outputs for each token, as they were found by running them. */
export interface TriedTokenOutputs {
  readonly sparse: Pick<TokenOutputs['sparse'], 'output'>;
  readonly multiVector: TokenOutputs['multiVector'];
}

/** Runs texts through the outputs that have a row per token. */
export async function tryTokenOutputs(
  runtime: OnnxRuntime,
  model: string,
  { tokenizer, settings: { padId, maxLength } }: PreparedTokenizer,
  { graphPath, signature: { inputs }, fixedShape, firstPosition, tokenOutputs }: RewrittenGraph,
  folder: string,
): Promise<TriedTokenOutputs | undefined> {
  if (!tokenOutputs) return undefined;
  const limit = Math.min(maxLength, fixedShape?.tokens ?? Infinity);
  const ids = (await tokenizer.encode(SAMPLE_TEXTS))
    .map((row) => row.slice(0, limit))
    .slice(0, fixedShape?.texts);
  const rows = fixedShape?.tokens ?? greatest(ids.map(({ length }) => length));
  const texts = fixedShape?.texts ?? ids.length;
  const dimsOf = async (output: string): Promise<readonly number[]> => {
    const task = { graph: graphPath, folder, inputs, output, ids, padId, fixedShape, firstPosition };
    return (await runtime.tryOut(task)).dims;
  };
  const sparse = await dimsOf(tokenOutputs.sparse);
  const vectors = await dimsOf(tokenOutputs.multiVector);
  const [, vectorRows = 0, width = 0] = vectors;
  // Weights can have a last axis, of size 1.
  const isSparse = sparse.slice(0, 2).join() === [texts, rows].join() && (sparse[2] ?? 1) === 1;
  const hasFirst = vectorRows === rows;
  const isMultiVector = vectors.join() === [texts, hasFirst ? rows : rows - 1, width].join();
  if (isSparse && isMultiVector) {
    return {
      sparse: { output: tokenOutputs.sparse },
      multiVector: { output: tokenOutputs.multiVector, width, hasFirst },
    };
  }
  throw configError(
    `${model} must return a weight and a vector for each token: for ${texts} texts of up to ${rows} tokens, ` +
      `\`${tokenOutputs.sparse}\` is [${sparse.join(', ')}] and \`${tokenOutputs.multiVector}\` is [${vectors.join(', ')}]. Export the model again.`,
  );
}
