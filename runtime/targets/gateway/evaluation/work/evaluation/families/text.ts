import type { MetricMaker } from '../../../metrics/metric.ts';
import { bleu } from '../../../metrics/text/bleu.ts';
import { chrf } from '../../../metrics/text/chrf.ts';
import { cer, wer } from '../../../metrics/text/error-rate.ts';
import { type AnsweredText, exactMatch } from '../../../metrics/text/exact-match.ts';
import { meteor } from '../../../metrics/text/meteor.ts';
import { rouge } from '../../../metrics/text/rouge.ts';
import type { TextRow } from '../../../metrics/text/text-row.ts';
import { tokenLength } from '../../../metrics/text/token-length.ts';
import { isUnanswered, type MetricFamily, type Sample } from '../evaluation.ts';
import { all, asIs, scorer } from '../scorer.ts';
import { cellText, referenceTexts } from '../read-cells.ts';

function family<Row>(
  name: string,
  metric: MetricMaker<Row>,
  shownAs: MetricFamily['shownAs'],
  read: (sample: Sample) => Row | undefined,
): MetricFamily {
  return {
    name,
    metrics: { [name]: all },
    needs: [],
    shownAs,
    open: (_tools, saved) => scorer(metric({}, saved), read),
  };
}

/** A row without a response counts as an empty output, in which no word is correct. */
const answerOrEmpty = ({ prediction, truth }: Sample): TextRow => {
  const [reference = '', ...otherReferences] = referenceTexts(truth);
  return { prediction: cellText(prediction), reference, otherReferences };
};
const answerOrNull = (sample: Sample): AnsweredText => ({
  ...answerOrEmpty(sample),
  ...(isUnanswered(sample) && { prediction: null }),
});
const answerOnly = (sample: Sample): TextRow | undefined =>
  isUnanswered(sample) ? undefined : answerOrEmpty(sample);

/** Prefixes value names with the metric's name, as in the reference API: `rouge_rouge1_mean`. */
const prefixed =
  (name: string) =>
  (value: string): string =>
    `${name}_${value}`;

export const textFamilies: readonly MetricFamily[] = [
  family('bleu', bleu, prefixed('bleu'), answerOrEmpty),
  family('cer', cer, asIs, answerOrEmpty),
  family('chrf', chrf, asIs, answerOrEmpty),
  family('exact_match', exactMatch, asIs, answerOrNull),
  family('meteor', meteor, prefixed('meteor'), answerOrEmpty),
  family('rouge', rouge, prefixed('rouge'), answerOrEmpty),
  // A length is neither correct nor wrong, so rows without a response are skipped.
  family('token_length', tokenLength, prefixed('token_length'), answerOnly),
  family('wer', wer, asIs, answerOrEmpty),
];
