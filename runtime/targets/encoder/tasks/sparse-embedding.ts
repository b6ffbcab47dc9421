import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type SparseVector, toSparse } from '../math/sparse.ts';
import { finiteOutput } from './finite-output.ts';
import type { Task } from './task.ts';
import { writeFloats } from './token-info.ts';

export const sparseEmbedding: Task<SparseVector> = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result: ({ values }, manifest, { maxActiveDims }) =>
    toSparse(finiteOutput(values, manifest), maxActiveDims),

  proto: writeSparse,

  printed: (inference, manifest, options) => sparseEmbedding.result(inference, manifest, options),
};

/** Encodes a vector as a SparseEmbeddingResult. */
export function writeSparse({ indices, values }: SparseVector): Uint8Array {
  const writer = new BinaryWriter();
  if (indices.length > 0) {
    writer.tag(1, WireType.LengthDelimited).fork();
    for (const index of indices) writer.uint32(index);
    writer.join();
  }
  writeFloats(writer, 2, values);
  return writer.finish();
}
