import type { Manifest } from '#contract/manifest.ts';
import { type LabelPlan, planLabels } from '#core/model/label-plan.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { itemAt } from '#core/values/item-at.ts';
import { scoreLabels } from '../math/entailment-scores.ts';
import { finiteOutput } from '../math/inference.ts';
import type { FlagReader, Task } from './task.ts';

/**
 * The output for a text and the sentence about one label. The result for a text is computed from
 * its outputs for all labels.
 */
interface EntailmentResult {
  readonly logits: Float32Array;
}

export const zeroShotClassificationTask: Task<EntailmentResult> = {
  details: false,
  printedAs: 'predictions',
  flags: {
    labels: {
      value: 'a,b,c',
      repeatable: true,
      help: 'Zero-shot models: comma-separated labels',
    },
    label: {
      value: 'label',
      repeatable: true,
      help: 'Zero-shot models: an additional label, which can contain commas',
    },
    'multi-label': {
      help: 'Zero-shot models: score each label independently, because several can apply',
    },
    'hypothesis-template': {
      value: 'text',
      help: 'Zero-shot classification models: sentence about a label, with {} in place of the label',
      defaultText: 'This example is {}.',
    },
  },

  printOptions: (flags) => ({
    zeroShot: planLabels(
      {
        labels: labelsIn(flags),
        template: flags.text('hypothesis-template'),
        multiLabel: flags.isSet('multi-label'),
      },
      { labels: '--labels', template: '--hypothesis-template' },
    ),
  }),

  result: ({ values }, manifest) => ({ logits: finiteOutput(values, manifest) }),

  inputs: (text, { zeroShot }) => zeroShot?.hypotheses.map((pair) => ({ text, pair })) ?? [{ text }],

  printed({ parts = [] }, { manifest }, { zeroShot }) {
    const logits = parts.map(({ values }) => finiteOutput(values, manifest));
    return rankLabels(logits, manifest, zeroShot ?? { labels: [], multiLabel: false });
  },
};

/** The labels from the command line. */
export const labelsIn = (flags: FlagReader): string[] => [...flags.words('labels'), ...flags.texts('label')];

export interface RankedLabels {
  /** Returns the label with the highest score first. */
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

/**
 * The labels of a text with their scores, which are computed from the logits of the sentence about
 * each label and formatted for printing.
 */
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
