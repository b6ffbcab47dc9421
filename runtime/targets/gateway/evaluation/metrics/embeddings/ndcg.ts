import type { Candidate } from './ranking.ts';

/**
 * Discounted gain of the first `rank` candidates by score, relative to the best order. Candidates with equal scores each get
 * their mean gain, as if all their orders had been tried.
 */
export function ndcg(ranked: readonly Candidate[], rank: number): number {
  const ideal = ranked.map(({ gain }) => gain).sort((one, other) => other - one);
  const best = ideal.reduce((sum, gain, at) => sum + gain * discount(at, rank), 0);
  return best === 0 ? 0 : tieAveragedGain(ranked, rank) / best;
}

function tieAveragedGain(ranked: readonly Candidate[], rank: number): number {
  let total = 0;
  for (let from = 0; from < Math.min(ranked.length, rank);) {
    let [to, gain, discounts] = [from, 0, 0];
    for (; ranked[to] !== undefined && ranked[to]?.score === ranked[from]?.score; to++) {
      gain += ranked[to]?.gain ?? 0;
      discounts += discount(to, rank);
    }
    total += (gain / (to - from)) * discounts;
    from = to;
  }
  return total;
}

const discount = (at: number, rank: number): number => (at < rank ? 1 / Math.log2(at + 2) : 0);
