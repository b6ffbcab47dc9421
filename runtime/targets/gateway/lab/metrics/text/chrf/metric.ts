import type { Json, MetricMaker } from '../../metric.ts';
import { metricResult, withoutRows } from '../../result.ts';
import { runningMeans } from '../running-means.ts';
import type { TextRow } from '../text-row.ts';
import { addChrfCounts, chrfScores, countChrf, NO_CHRF_COUNTS, type ChrfCount } from './score.ts';

interface Saved {
  readonly counts: readonly ChrfCount[];
  readonly sentences: Json;
}

/** `chrf` and `chrf_plus_plus` of the whole corpus with their means over rows, from 0 to 100. */
export const chrf: MetricMaker<TextRow> = (_options, json) => {
  const saved = json as Saved | undefined;
  const sentences = runningMeans(['chrf_mean', 'chrf_plus_plus_mean'], saved?.sentences);
  let counts = saved?.counts ?? NO_CHRF_COUNTS;
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
    save: () => ({ counts, sentences: sentences.save() }),
  };
};
