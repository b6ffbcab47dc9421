import type { MetricMaker } from '../metric.ts';
import { meanMetric } from './mean-metric.ts';
import { checkLength, referencesOf, type TextRow, wordsOfText } from './text-row.ts';

/** A row; null means that the model gave no response, which matches nothing. */
export type AnsweredText = Omit<TextRow, 'prediction'> & { readonly prediction: string | null };

/** Share of predictions that equal a reference exactly, and after SQuAD's normalization. */
export const exactMatch: MetricMaker<AnsweredText> = (_options, saved) =>
  meanMetric(['exact_match', 'exact_match_normalized'], scoreRow, saved);

function scoreRow({ prediction, ...references }: AnsweredText) {
  if (prediction === null) return { exact_match: 0, exact_match_normalized: 0 };
  const row = { prediction, ...references };
  checkLength(row);
  const all = referencesOf(row);
  return {
    exact_match: Number(all.includes(prediction)),
    exact_match_normalized: Number(all.map(squadAnswer).includes(squadAnswer(prediction))),
  };
}

const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** `\b` would see a word boundary between "é" and "a". */
const ARTICLES = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/** Normalizes a text like SQuAD: ignores case, ASCII punctuation, English articles and extra spaces. */
const squadAnswer = (text: string): string =>
  wordsOfText(text.toLowerCase().replace(PUNCTUATION, '').replace(ARTICLES, ' ')).join(' ');
