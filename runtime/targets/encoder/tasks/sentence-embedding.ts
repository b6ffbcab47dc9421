import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Manifest } from '../../../contract/manifest.ts';
import type { Inference, ResultOptions, Task } from './task.ts';
import { textVector } from './text-vector.ts';
import { writeFloats } from './token-info.ts';

interface SentenceEmbeddingResult {
  readonly embedding: Float32Array;
}

export const sentenceEmbedding = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result: (inference: Inference, manifest: Manifest, options: ResultOptions) => ({
    embedding: textVector(inference, manifest, options),
  }),

  proto({ embedding }: SentenceEmbeddingResult) {
    const writer = new BinaryWriter();
    writeFloats(writer, 1, embedding);
    return writer.finish();
  },

  printed: textVector,
} satisfies Task<SentenceEmbeddingResult>;
