import type { MetricMaker } from '../metric.ts';
import { meanMetric } from './mean-metric.ts';
import { checkLength, type TextRow, wordsOfText } from './text-row.ts';

/** An estimate for English: four tokens per three words. It makes models with different tokenizers comparable. */
const WORDS_PER_TOKEN = 0.75;

/** Estimated number of tokens in predictions and references. */
export const tokenLength: MetricMaker<TextRow> = (_options, saved) =>
  meanMetric(['pred_token_length_mean', 'ref_token_length_mean'], scoreRow, saved);

function scoreRow(row: TextRow) {
  checkLength(row);
  return {
    pred_token_length_mean: likelyTokens(row.prediction),
    ref_token_length_mean: likelyTokens(row.reference),
  };
}

const likelyTokens = (text: string): number => Math.trunc(wordsOfText(text).length / WORDS_PER_TOKEN);
