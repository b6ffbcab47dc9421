import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { configError } from '#contract/errors.ts';
import { type SparseVector, sparseOfTable, toSparse } from '../math/sparse.ts';
import { finiteOutput } from '../math/inference.ts';
import type { FlagReader, PrintModel, PrintOptions, Task } from './task.ts';
import { writeTokenFloats } from './token-info.ts';

export const sparseEmbeddingTask: Task<SparseVector> = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',
  flags: {
    'max-active-dims': {
      value: 'count',
      help: 'Sparse embedding models: number of largest values to keep per vector',
      models: 'a sparse_embedding',
    },
    tokens: {
      help: 'Sparse embedding models: add the token of each index',
      models: 'a sparse_embedding',
    },
  },
  sharedFlags: ['input-type'],

  printOptions(flags, { manifest: { sparse } }) {
    if (flags.text('input-type') !== undefined && sparse?.queries === undefined) {
      throw configError(
        '--input-type requires a model that encodes queries and documents differently, but this model encodes them in the same way. Remove the flag.',
      );
    }
    return sparsePrintOptions(flags);
  },

  result: ({ text, values, queryWeights }, manifest, { maxActiveDims }) =>
    queryWeights
      ? sparseOfTable(text.ids, queryWeights, maxActiveDims)
      : toSparse(finiteOutput(values, manifest), maxActiveDims),

  proto: writeSparse,

  printed: (inference, model, options) =>
    printSparse(sparseEmbeddingTask.result(inference, model.manifest, options), model, options),
};

/** These flags also apply to sentence_embedding models that return sparse vectors. */
export const SPARSE_FLAGS = ['max-active-dims', 'tokens'] as const;

export function sparsePrintOptions(flags: FlagReader): Pick<PrintOptions, 'maxActiveDims' | 'tokens'> {
  return { maxActiveDims: flags.count('max-active-dims'), tokens: flags.isSet('tokens') };
}

/** Formats a vector as `infer` prints it, optionally with the token for each index. */
export const printSparse = (
  vector: SparseVector,
  { tokenOf }: Pick<PrintModel, 'tokenOf'>,
  { tokens }: Pick<PrintOptions, 'tokens'>,
): object => (tokens ? { ...vector, tokens: vector.indices.map(tokenOf) } : vector);

/** Encodes a vector as a SparseEmbeddingResult. */
export function writeSparse({ indices, values }: SparseVector): Uint8Array {
  const writer = new BinaryWriter();
  if (indices.length > 0) {
    writer.tag(1, WireType.LengthDelimited).fork();
    for (const index of indices) writer.uint32(index);
    writer.join();
  }
  writeTokenFloats(writer, 2, values);
  return writer.finish();
}
