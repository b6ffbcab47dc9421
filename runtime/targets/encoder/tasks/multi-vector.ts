import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { configError, AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { TEXT_ROLES } from '#contract/multi-vector.ts';
import { planVector } from '#core/model/vector-plan.ts';
import { normalizeL2, finiteOutput, type Inference, vectorsOf } from '../math/inference.ts';
import type { ResultOptions, Task } from './task.ts';
import { writeTokenFloats } from './token-info.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { joinRows, maxSim, type VectorRows } from '../math/max-sim.ts';

interface MultiVectorResult {
  readonly vectors: readonly Float32Array[];
}

export const multiVectorTask: Task<MultiVectorResult> = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'vectors',
  flags: {
    'input-type': {
      value: 'type',
      help: 'Multi-vector models, and sparse models with a table for queries: whether the texts are queries or documents',
      choices: TEXT_ROLES,
    },
  },
  sharedFlags: ['normalize'],

  printOptions(flags, { manifest }) {
    const role = TEXT_ROLES.find((name) => name === flags.text('input-type'));
    if (role === undefined) {
      throw configError(
        '--input-type is missing. Pass --input-type query or document, because a multi_vector model encodes them differently.',
      );
    }
    return { ...planVector(manifest, { normalize: flags.choice('normalize') }).options, role };
  },

  result: (inference, manifest, options) => ({ vectors: keptVectors(inference, manifest, options) }),

  proto({ vectors }) {
    const writer = new BinaryWriter();
    for (const vector of vectors) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeTokenFloats(writer, 1, vector);
      writer.join();
    }
    return writer.finish();
  },

  printed: (inference, { manifest }, options) => keptVectors(inference, manifest, options),
};

/** The vectors of all tokens except those that the model's settings skip. */
function keptVectors(
  inference: Inference,
  manifest: Manifest,
  { normalize, role = 'document' }: ResultOptions,
): Float32Array[] {
  const skipped = new Set(manifest.multiVector?.[role].skipped);
  const { values, width } = vectorsOf(inference, manifest);
  const vectors: Float32Array[] = [];
  for (const [row, id] of inference.text.ids.entries()) {
    if (skipped.has(id)) continue;
    const vector = finiteOutput(values.subarray(row * width, (row + 1) * width), manifest);
    vectors.push(normalize ? normalizeL2(vector) : vector);
  }
  return vectors;
}

/** The score of a document for a query, for multi_vector models. */
export function scoreFor(query: VectorRows, inference: Inference, manifest: Manifest): number {
  const vectors = keptVectors(inference, manifest, { normalize: manifest.multiVector?.normalize ?? false });
  const width = vectors[0]?.length ?? query.width;
  if (width !== query.width) {
    throw new AppError(
      'InternalError',
      `The transform returned ${query.width}-dimensional vectors for the query and ${width}-dimensional vectors for a document. Return the same number of dimensions for all texts.`,
    );
  }
  return shortestFloat32(Math.fround(maxSim(query, joinRows(vectors))));
}
