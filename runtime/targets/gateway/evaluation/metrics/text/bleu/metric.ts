import type { Json, MetricMaker } from '../../metric.ts';
import { metricResult, withoutRows } from '../../result.ts';
import { runningMeans } from '../running-means.ts';
import { checkLength, referencesOf, type TextRow } from '../text-row.ts';
import { addBleuCounts, bleuScore, countBleu, NO_BLEU_COUNTS, type BleuCounts } from './score.ts';
import { bleuTokens, type BleuTokenizer } from './tokens.ts';

interface BleuOptions {
  /** Tokenizer. Default: `13a`. */
  readonly tokenizer?: BleuTokenizer | undefined;
}

interface Saved {
  readonly counts: BleuCounts;
  readonly sentences: Json;
}

/**
 * `bleu` of the whole corpus and `bleu_mean`, the mean over rows, from 0 to 100. In a row, both names have the sentence score.
 */
export const bleu: MetricMaker<TextRow, BleuOptions> = ({ tokenizer = '13a' }, json) => {
  const saved = json as Saved | undefined;
  const sentences = runningMeans(['bleu_mean'], saved?.sentences);
  let counts = saved?.counts ?? NO_BLEU_COUNTS;
  return {
    add(row) {
      checkLength(row);
      const ofRow = countBleu(
        bleuTokens(row.prediction, tokenizer),
        referencesOf(row).map((reference) => bleuTokens(reference, tokenizer)),
      );
      const { score } = bleuScore(ofRow, true);
      counts = addBleuCounts(counts, ofRow);
      sentences.add({ bleu_mean: score });
      return { bleu: score, bleu_mean: score };
    },
    result() {
      const { score, precisions, brevityPenalty } = bleuScore(counts, false);
      const numbers = { bleu: score, ...sentences.numbers() };
      return metricResult(sentences.isEmpty() ? withoutRows(numbers) : numbers, {
        tokenizer,
        precisions,
        brevity_penalty: brevityPenalty,
        predicted_tokens: counts.predicted,
        reference_tokens: counts.actual,
      });
    },
    save: () => ({ counts: { ...counts }, sentences: sentences.save() }),
  };
};
