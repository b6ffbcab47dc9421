import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Manifest } from '#contract/manifest.ts';
import type { SparseVector } from '../math/sparse.ts';
import { writeSparse } from './sparse-embedding.ts';
import type { Inference, PrintOptions, ResultOptions, Task } from './task.ts';
import { textVector } from './text-vector.ts';
import { writeFloats } from './token-info.ts';
import { sparseOutput, vectorsOutput } from './token-outputs.ts';

/** The outputs of the request; only dense vectors by default. Sparse vectors are last, so that their tokens can be added. */
export interface SentenceEmbeddingResult {
  readonly embedding?: Float32Array;
  readonly vectors?: readonly Float32Array[];
  readonly sparse?: SparseVector;
}

export const sentenceEmbedding = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result: resultOf,

  proto({ embedding, vectors, sparse }: SentenceEmbeddingResult) {
    const writer = new BinaryWriter();
    if (embedding) writeFloats(writer, 1, embedding);
    if (sparse) writer.tag(2, WireType.LengthDelimited).bytes(writeSparse(sparse));
    for (const vector of vectors ?? []) {
      writer.tag(3, WireType.LengthDelimited).fork();
      writeFloats(writer, 1, vector);
      writer.join();
    }
    return writer.finish();
  },

  printed: (inference: Inference, manifest: Manifest, options: PrintOptions) =>
    options.outputs ? resultOf(inference, manifest, options) : textVector(inference, manifest, options),
} satisfies Task<SentenceEmbeddingResult>;

function resultOf(inference: Inference, manifest: Manifest, options: ResultOptions): SentenceEmbeddingResult {
  const { outputs = ['dense'] } = options;
  return {
    ...(outputs.includes('dense') ? { embedding: textVector(inference, manifest, options) } : {}),
    ...(outputs.includes('multi_vector') ? { vectors: vectorsOutput(inference, manifest, options) } : {}),
    ...(outputs.includes('sparse') ? { sparse: sparseOutput(inference, manifest, options) } : {}),
  };
}
