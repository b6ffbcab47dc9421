import { shortestFloat32 } from '../../../core/numbers/float32.ts';
import { itemAt } from '../../../core/values/item-at.ts';
import { scoreLabels } from '../maths/entailment-scores.ts';
import { finiteOutput } from './finite-output.ts';
import type { Task } from './task.ts';

/** The output for a text and the sentence about one label. Results of all labels are computed from these. */
interface EntailmentResult {
  readonly logits: Float32Array;
}

export const zeroShotClassification: Task<EntailmentResult> = {
  details: false,
  printedAs: 'predictions',

  result: ({ values }, manifest) => ({ logits: finiteOutput(values, manifest) }),

  inputs: (text, { zeroShot }) => zeroShot?.hypotheses.map((pair) => ({ text, pair })) ?? [{ text }],

  printed({ parts = [] }, manifest, { zeroShot }) {
    const { labels = [], multiLabel = false } = zeroShot ?? {};
    const logits = parts.map(({ values }) => finiteOutput(values, manifest));
    const scored = scoreLabels(logits, manifest.id2label, multiLabel);
    return {
      labels: scored.map(({ index }) => itemAt(labels, index)),
      scores: scored.map(({ score }) => shortestFloat32(Math.fround(score))),
    };
  },
};
