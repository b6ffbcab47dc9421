import { findEntailment } from '#core/model/entailment.ts';

export interface ScoredLabel {
  /** Index of the label in the request. */
  readonly index: number;
  readonly score: number;
}

/**
 * Scores labels by the logits of the sentence about each of them, highest first, as transformers'
 * zero-shot classification pipeline does: the probability of each label among all labels, or with
 * `multiLabel`, the probability that the sentence is true. A single label cannot be compared with
 * others, so its score is always the latter.
 */
export function scoreLabels(
  logits: readonly Float32Array[],
  id2label: Readonly<Record<string, string>> = {},
  multiLabel = false,
): ScoredLabel[] {
  const entailment = findEntailment(id2label) ?? 0;
  const entailed = logits.map((row) => row[entailment] ?? 0);
  // The pipeline compares with the first label, or with the last one if entailment is the first.
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
