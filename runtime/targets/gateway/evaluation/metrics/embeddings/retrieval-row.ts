import type { MetricRow } from '../metric.ts';
import { cosine, type Vector } from './vector.ts';

/** The row of a query whose candidates are given by their vectors; `relevant` contains indexes into that list. */
export function retrievalRow(
  query: Vector,
  candidates: readonly Vector[],
  relevant: ReadonlySet<number>,
): MetricRow<readonly number[]> {
  return {
    prediction: candidates.map((candidate) => cosine(query, candidate)),
    reference: candidates.map((_, at) => (relevant.has(at) ? 1 : 0)),
  };
}
