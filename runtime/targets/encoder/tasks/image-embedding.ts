import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { planVector } from '#core/model/vector-plan.ts';
import { vectorWidth } from '#core/model/vector-width.ts';
import { textVector } from '../math/inference.ts';
import type { Task } from './task.ts';
import { writeTokenFloats } from './token-info.ts';

/** The vector of an image is pooled from the vectors of its patches, as that of a text from those of its tokens. */
export const imageEmbeddingTask: Task<{ readonly embedding: Float32Array }> = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',
  sharedFlags: ['normalize', 'dimensions'],
  printOptions: (flags, { manifest }) =>
    planVector(manifest, {
      normalize: flags.choice('normalize'),
      dimensions: flags.count('dimensions', vectorWidth(manifest)),
    }).options,
  result: (inference, manifest, options) => ({ embedding: textVector(inference, manifest, options) }),
  proto({ embedding }) {
    const writer = new BinaryWriter();
    writeTokenFloats(writer, 1, embedding);
    return writer.finish();
  },
  printed: (inference, { manifest }, options) => textVector(inference, manifest, options),
};
