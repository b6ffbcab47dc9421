import type { Manifest } from '#contract/manifest.ts';
import type { LabelPlan } from '#core/model/label-plan.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { itemAt } from '#core/values/item-at.ts';
import { scoreLabels } from '../math/entailment-scores.ts';
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
    const logits = parts.map(({ values }) => finiteOutput(values, manifest));
    return rankLabels(logits, manifest, zeroShot ?? { labels: [], multiLabel: false });
  },
};

export interface RankedLabels {
  /** The label with the highest score first. */
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

/** The labels of a text by the logits for the sentence about each of them, with scores as they are printed. */
export function rankLabels(
  logits: readonly Float32Array[],
  { id2label }: Pick<Manifest, 'id2label'>,
  { labels, multiLabel }: Pick<LabelPlan, 'labels' | 'multiLabel'>,
): RankedLabels {
  const scored = scoreLabels(logits, id2label, multiLabel);
  return {
    labels: scored.map(({ index }) => itemAt(labels, index)),
    scores: scored.map(({ score }) => shortestFloat32(Math.fround(score))),
  };
}
