import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Task } from './task.ts';
import { textVector } from './text-vector.ts';
import { writeFloats } from './token-info.ts';

interface SentenceEmbeddingResult {
  readonly embedding: Float32Array;
}

export const sentenceEmbedding: Task<SentenceEmbeddingResult> = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result: (inference, manifest, options) => ({ embedding: textVector(inference, manifest, options) }),

  proto({ embedding }) {
    const writer = new BinaryWriter();
    writeFloats(writer, 1, embedding);
    return writer.finish();
  },

  printed: textVector,
};
