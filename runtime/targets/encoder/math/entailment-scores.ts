import { findEntailment } from '#core/model/entailment.ts';

export interface ScoredLabel {
  /** Index of the label in the request's list of labels. */
  readonly index: number;
  readonly score: number;
}

/**
 * Computes the score of each label from the logits of the sentence about the label, like
 * transformers' zero-shot classification pipeline. Returns the highest score first. A score is the
 * probability of the label among all labels, or with `multiLabel`, the probability that the
 * sentence is true. If there is only one label, its score is always the probability that the
 * sentence is true.
 */
export function scoreLabels(
  logits: readonly Float32Array[],
  id2label: Readonly<Record<string, string>> = {},
  multiLabel = false,
): ScoredLabel[] {
  const entailment = findEntailment(id2label) ?? 0;
  const entailed = logits.map((row) => row[entailment] ?? 0);
  // Like the pipeline, compares entailment with the model's first label, or with its last label if
  // entailment is the first.
  const contradicted = logits.map((row) => (entailment === 0 ? row.at(-1) : row[0]) ?? 0);
  const scores =
    multiLabel || logits.length === 1
      ? entailed.map((logit, index) => 1 / (1 + Math.exp((contradicted[index] ?? 0) - logit)))
      : shares(entailed);
  return scores.map((score, index) => ({ index, score })).sort((left, right) => right.score - left.score);
}

/** Softmax in double precision. */
function shares(logits: readonly number[]): number[] {
  const max = logits.reduce((left, right) => Math.max(left, right), -Infinity);
  const exps = logits.map((logit) => Math.exp(logit - max));
  const sum = exps.reduce((left, right) => left + right, 0);
  return exps.map((value) => value / sum);
}
