import type { Manifest } from '#contract/manifest.ts';
import type { ScoreFunction } from '#contract/score-function.ts';

/** The row about scores in tables about a sequence classification model; empty for other models. */
export const scoreFacts = ({ scoreFunction }: Pick<Manifest, 'scoreFunction'>): [string, string][] =>
  scoreFunction ? [['Scores', DESCRIPTIONS[scoreFunction]]] : [];

const DESCRIPTIONS: Record<ScoreFunction, string> = {
  softmax: 'softmax of the logits',
  sigmoid: 'sigmoid of each logit',
  none: 'the logits (regression)',
};
