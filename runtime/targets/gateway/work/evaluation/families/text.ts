import type { MetricMaker } from '../../../../../core/metrics/api.ts';
import { bleu } from '../../../../../core/metrics/text/bleu/metric.ts';
import { chrf } from '../../../../../core/metrics/text/chrf/metric.ts';
import { exactMatch } from '../../../../../core/metrics/text/exact-match/metric.ts';
import { meteor } from '../../../../../core/metrics/text/meteor/metric.ts';
import { rouge } from '../../../../../core/metrics/text/rouge/metric.ts';
import type { TextRow } from '../../../../../core/metrics/text/text-row.ts';
import { tokenLength } from '../../../../../core/metrics/text/token-length/metric.ts';
import type { MetricFamily } from '../api.ts';
import { all, asIs } from '../names.ts';
import { readText } from '../../read-text.ts';
import { scorer } from '../scorer.ts';

const family = (
  name: string,
  metric: MetricMaker<TextRow>,
  shownAs: MetricFamily['shownAs'],
): MetricFamily => ({
  name,
  metrics: { [name]: all },
  needs: [],
  shownAs,
  open: (_tools, saved) =>
    scorer(metric({}, saved), ({ prediction, truth }) => ({
      prediction: readText(prediction),
      reference: readText(truth),
    })),
});

/** As the reference tracks its own metrics: `rouge_rouge1_mean`. */
const prefixed =
  (name: string) =>
  (value: string): string =>
    `${name}_${value}`;

export const textFamilies: readonly MetricFamily[] = [
  family('bleu', bleu, prefixed('bleu')),
  family('chrf', chrf, asIs),
  family('exact_match', exactMatch, asIs),
  family('meteor', meteor, prefixed('meteor')),
  family('rouge', rouge, prefixed('rouge')),
  family('token_length', tokenLength, prefixed('token_length')),
];
