import { comparePair } from '../metrics/compare/compare-pair.ts';
import { holm } from '../metrics/compare/holm.ts';
import { runYielding } from '#platform/run-yielding.ts';
import type { ComparedPair } from './comparison.ts';
import { pushAll } from '#core/values/push-all.ts';

export interface Scored {
  readonly id: string;
  /** Scores of rows by metric. */
  readonly scores: ReadonlyMap<string, Float64Array>;
}

/** Maximum number of models of which all pairs are compared. With more, each is compared with the first one only. */
const MAX_FOR_ALL_PAIRS = 8;

/** Compares pairs of models in every metric for which both have scores of rows. */
export async function comparePairs(
  all: readonly Scored[],
  metrics: readonly string[],
): Promise<readonly ComparedPair[]> {
  const found: ComparedPair[] = [];
  for (const metric of metrics) {
    const ofMetric: Omit<ComparedPair, 'adjusted'>[] = [];
    for (const [first, second] of pairsOf(all)) {
      const [one, other] = [first.scores.get(metric), second.scores.get(metric)];
      if (!one || !other || one.length !== other.length) continue;
      const compared = await runYielding(comparePair(one, other));
      if (compared.rows > 0) ofMetric.push({ metric, first: first.id, second: second.id, ...compared });
    }
    const adjusted = holm(ofMetric.map(({ p_value: p }) => p ?? 1));
    pushAll(
      found,
      ofMetric.map((pair, at) => ({ ...pair, adjusted: adjusted[at] ?? null })),
    );
  }
  return found;
}

function pairsOf(all: readonly Scored[]): readonly (readonly [Scored, Scored])[] {
  const firsts = all.length <= MAX_FOR_ALL_PAIRS ? all : all.slice(0, 1);
  return firsts.flatMap((first, at) => all.slice(at + 1).map((second) => [first, second] as const));
}
