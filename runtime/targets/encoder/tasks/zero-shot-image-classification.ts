import { DEFAULT_IMAGE_TEMPLATE, planLabels } from '#core/model/label-plan.ts';
import { textVector } from '../math/inference.ts';
import { rankImageLabels } from '../math/image-labels.ts';
import type { Task } from './task.ts';
import { labelsIn } from './zero-shot-classification.ts';

/**
 * The vector of an image, or of the text about a label. The result for an image is computed from its vector
 * and those of all labels.
 */
export const zeroShotImageClassificationTask: Task<{ readonly embedding: Float32Array }> = {
  details: false,
  printedAs: 'predictions',
  sharedFlags: ['labels', 'label', 'hypothesis-template'],

  async printOptions(flags, { manifest, infer }) {
    const { labels, hypotheses } = planLabels(
      {
        labels: labelsIn(flags),
        template: flags.text('hypothesis-template') ?? DEFAULT_IMAGE_TEMPLATE,
      },
      { labels: '--labels', template: '--hypothesis-template' },
    );
    const inferences = await infer(hypotheses);
    const vectors = inferences.map((inference) => textVector(inference, manifest, NORMALIZED));
    return { imageLabels: { labels, vectors } };
  },

  result: (inference, manifest) => ({ embedding: textVector(inference, manifest, NORMALIZED) }),

  printed: (inference, { manifest }, { imageLabels }) =>
    rankImageLabels(
      textVector(inference, manifest, NORMALIZED),
      imageLabels ?? { labels: [], vectors: [] },
      manifest,
    ),
};

const NORMALIZED = { normalize: true };
