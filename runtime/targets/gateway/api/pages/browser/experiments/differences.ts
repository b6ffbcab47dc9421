import {
  type Comparison,
  type Pair,
  intervalText,
  isLowerBetter,
  metricText,
  probabilityText,
  SIGNIFICANT,
} from './results.ts';
import { badge, table } from '#serve/http/pages/browser/components/facts.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { count } from '#serve/http/pages/browser/format.ts';

/**
 * Differences between pairs of models: the significant ones, followed by all others in a collapsed section.
 */
export function differences({ pairs, workflows }: Comparison) {
  const names = new Map(workflows.map(({ id, name }) => [id, name]));
  const [proven, others] = [pairs.filter((pair) => isProven(pair)), pairs.filter((pair) => !isProven(pair))];
  if (pairs.length === 0) return empty('A comparison requires two finished models.');
  const node = element('div', { class: 'page' });
  node.append(
    proven.length === 0
      ? element('p', {}, 'No difference is statistically significant (p < 0.05 after Holm’s correction).')
      : pairTable('Significant differences', proven, names),
  );
  if (others.length > 0) {
    node.append(
      element(
        'details',
        {},
        element('summary', {}, `${count(others.length)} not significant`),
        pairTable('Differences that are not significant', others, names),
      ),
    );
  }
  return node;
}

const isProven = ({ adjusted_p_value: p }: Pair) => p !== null && p < SIGNIFICANT;

const pairTable = (caption: string, pairs: readonly Pair[], names: ReadonlyMap<string, string>) =>
  scrollable(
    caption,
    table(
      caption,
      ['Metric', 'Better', 'Worse', 'Difference', '95% interval', 'Rows', 'p (Holm)'],
      pairs.map((pair) => pairRow(pair, names)),
      'data',
    ),
  );

function pairRow(
  { metric, first, second, difference, interval, rows, adjusted_p_value: p }: Pair,
  names: ReadonlyMap<string, string>,
) {
  const isSecondBetter = (difference ?? 0) > 0 !== isLowerBetter(metric);
  const [better, worse] = isSecondBetter ? [second, first] : [first, second];
  const isNegative = (difference ?? 0) < 0;
  const distance = difference === null ? '–' : metricText(Math.abs(difference));
  const range =
    interval && isNegative ? { low: -interval.high, high: -interval.low } : (interval ?? undefined);
  return [
    metric,
    names.get(better) ?? better,
    names.get(worse) ?? worse,
    distance,
    intervalText(range),
    count(rows),
    p !== null && p < SIGNIFICANT ? badge(probabilityText(p), 'good') : probabilityText(p),
  ];
}
