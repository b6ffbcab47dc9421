/** @import { Bin } from './results.js' */
import { valueText } from '../charts/axis.js';
import { drawHistogram } from '../charts/columns.js';
import { chartFigure } from '../charts/figure.js';
import { count } from '../format.js';

/**
 * A histogram of values that the server has counted.
 * @param {{ title: string, unit?: string, summary: string, series: readonly { name: string, bins: readonly Bin[] }[] }} options
 */
export function binnedHistogram({ title, unit = '', summary, series }) {
  const first = series[0]?.bins ?? [];
  return chartFigure({
    title,
    summary,
    legend: series.map(({ name }) => name),
    columns: ['From', 'To', ...series.map(({ name }) => name)],
    count: first.length,
    row: (at) => [
      valueText(unit, first[at]?.from),
      valueText(unit, first[at]?.to),
      ...series.map(({ bins }) => count(bins[at]?.rows)),
    ],
    draw: (width) =>
      drawHistogram(
        series.map(({ name, bins }) => ({
          name,
          bins: bins.map(({ from, to, rows }) => ({ from, to, count: rows })),
        })),
        unit,
        width,
      ),
  });
}
