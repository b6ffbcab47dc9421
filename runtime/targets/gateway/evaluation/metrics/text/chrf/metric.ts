import type { Json, MetricMaker } from '../../metric.ts';
import { metricResult, withoutRows } from '../../result.ts';
import { runningMeans } from '../running-means.ts';
import type { TextRow } from '../text-row.ts';
import {
  addChrfCounts,
  chrfScores,
  countChrf,
  NO_CHRF_COUNTS,
  type ChrfCount,
  type ChrfCounts,
} from './score.ts';

interface Saved {
  readonly counts: readonly ChrfCount[];
  /** Counts for chrF++. Missing in jobs of earlier versions, which had one reference for each row. */
  readonly plusPlus?: readonly ChrfCount[];
  readonly sentences: Json;
}

/** `chrf` and `chrf_plus_plus` of the whole corpus with their means over rows, from 0 to 100. */
export const chrf: MetricMaker<TextRow> = (_options, json) => {
  const saved = json as Saved | undefined;
  const sentences = runningMeans(['chrf_mean', 'chrf_plus_plus_mean'], saved?.sentences);
  const [chrfCounts, plusPlus] = [saved?.counts ?? NO_CHRF_COUNTS, saved?.plusPlus];
  let counts: ChrfCounts = { chrf: chrfCounts, chrf_plus_plus: plusPlus ?? chrfCounts };
  return {
    add(row) {
      const ofRow = countChrf(row);
      const scores = chrfScores(ofRow);
      const means = { chrf_mean: scores.chrf, chrf_plus_plus_mean: scores.chrf_plus_plus };
      counts = addChrfCounts(counts, ofRow);
      sentences.add(means);
      return { ...scores, ...means };
    },
    result() {
      const numbers = { ...chrfScores(counts), ...sentences.numbers() };
      return metricResult(sentences.isEmpty() ? withoutRows(numbers) : numbers);
    },
    save: () => ({ counts: counts.chrf, plusPlus: counts.chrf_plus_plus, sentences: sentences.save() }),
  };
};
