import { inputError } from '#contract/errors.ts';
import { type Metric, type MetricMaker, type MetricRow, metricResult, withoutRows } from '../metric.ts';
import { cosine, type Vector } from './similarity.ts';

/**
 * A query with the model's score and the relevance of each candidate (0 is not relevant; 1 or more is graded
 * relevance). A null prediction means that the model gave no response: nothing was found.
 */
export type RetrievalRow = MetricRow<readonly number[] | null, readonly number[]>;

export interface RetrievalOptions {
  /** Ranks to evaluate. Default: 1, 5 and 10. */
  readonly ranks?: readonly number[];
}

type Saved = {
  readonly queries: number;
  readonly withoutRelevant: number;
  readonly sums: Readonly<Record<string, number>>;
};

/**
 * Mean over queries of recall, MRR (both with binary relevance) and nDCG (linear gain). A query without
 * relevant candidates counts as 0, as in trec_eval and scikit-learn. Among equal scores, relevant candidates
 * rank last, so that a constant score gains nothing; nDCG instead uses the mean over all orders, as in
 * scikit-learn.
 */
export const retrieval: MetricMaker<RetrievalRow, RetrievalOptions> = (
  { ranks = [1, 5, 10] },
  json,
): Metric<RetrievalRow> => {
  checkRanks(ranks);
  const saved = json as Saved | undefined;
  let { queries, withoutRelevant } = saved ?? { queries: 0, withoutRelevant: 0 };
  const sums = { ...(saved?.sums ?? scoresOf([], ranks)) };
  return {
    add: (row) => {
      const { prediction, reference } = row;
      checkRow(prediction ?? reference, reference);
      const scores = scoresOf(prediction ? ranking(prediction, reference) : [], ranks);
      queries += 1;
      if (!reference.some((gain) => gain > 0)) withoutRelevant += 1;
      for (const [name, score] of Object.entries(scores)) sums[name] = (sums[name] ?? 0) + score;
      return scores;
    },
    result: () => {
      const means = Object.entries(sums).map(([name, sum]) => [name, sum / queries] as const);
      const numbers = Object.fromEntries(means);
      return metricResult(queries === 0 ? withoutRows(numbers) : numbers, {
        rows: queries,
        queries_without_relevant: withoutRelevant,
      });
    },
    save: (): Saved => ({ queries, withoutRelevant, sums: { ...sums } }),
  };
};

const isRelevant = ({ gain }: Candidate): boolean => gain > 0;

function scoresOf(ranked: readonly Candidate[], ranks: readonly number[]): Record<string, number> {
  const first = ranked.findIndex(isRelevant);
  const relevant = ranked.filter(isRelevant).length;
  const scores: Record<string, number> = { mrr: first === -1 ? 0 : 1 / (first + 1) };
  for (const rank of ranks) {
    const found = ranked.slice(0, rank).filter(isRelevant).length;
    scores[`recall_at_${rank}`] = relevant === 0 ? 0 : found / relevant;
    scores[`ndcg_at_${rank}`] = ndcg(ranked, rank);
  }
  return scores;
}

function checkRanks(ranks: readonly number[]): void {
  const bad = ranks.find((rank) => !Number.isInteger(rank) || rank < 1);
  if (bad !== undefined) throw inputError(`Invalid rank ${bad}. It must be an integer of at least 1.`);
}

function checkRow(prediction: readonly number[], reference: readonly number[]): void {
  if (prediction.length !== reference.length || prediction.length === 0) {
    throw inputError(
      `${prediction.length} candidates have a score and ${reference.length} have a relevance. Provide at least one candidate, and both values for each candidate.`,
    );
  }
  const score = prediction.find((score) => !Number.isFinite(score));
  if (score !== undefined)
    throw inputError(`A candidate has the score ${score}. Scores must be finite numbers.`);
  const gain = reference.find((gain) => !(Number.isFinite(gain) && gain >= 0));
  if (gain !== undefined) {
    throw inputError(
      `A candidate has the relevance ${gain}. Relevance must be 0 (not relevant) or a positive number.`,
    );
  }
}

/**
 * Discounted gain of the first `rank` candidates by score, relative to the ideal order. Candidates with equal
 * scores each get their mean gain, as if averaged over all their orders.
 */
function ndcg(ranked: readonly Candidate[], rank: number): number {
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

interface Candidate {
  readonly score: number;
  /** The candidate's relevance. */
  readonly gain: number;
}

/** Candidates by descending score; among equal scores, the less relevant one comes first. */
const ranking = (scores: readonly number[], gains: readonly number[]): Candidate[] =>
  scores
    .map((score, at): Candidate => ({ score, gain: gains[at] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.gain - other.gain);

/** The row for a query whose candidates are given by their vectors; `relevant` contains indexes into that list. */
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
