import { type TimeAxis, valueText } from '../charts/axis.ts';
import { type Bar, barText, drawBars, totalOf } from '../charts/bars.ts';
import { drawColumns, drawHistogram } from '../charts/columns.ts';
import { chartFigure } from '../charts/figure.ts';
import { type Band, type Series, type Point, drawLines, placesOf, placeText } from '../charts/lines.ts';
import { extent } from '../charts/scale.ts';
import { type Axis, type Dot, drawScatter } from '../charts/scatter.ts';
import { counted, count, lowerFirst } from '../format.ts';

export { heatMap } from '../charts/heat-map.ts';

/** Maximum number of series in the summary. The table contains all series. */
const DESCRIBED = 2;

interface SeriesChart {
  readonly title: string;
  /** `USD`, `ms`, `bytes`, `share`, or any other unit. */
  readonly unit: string;
  readonly series: readonly Series[];
  /** Whether x is a timestamp in milliseconds; a time zone in which it is shown. Default: no. */
  readonly time?: TimeAxis;
  /** The name of the horizontal axis, if its values are not timestamps. */
  readonly xTitle?: string;
  readonly xUnit?: string;
  /** A dashed line for comparison, e.g. the diagonal of a calibration curve. */
  readonly reference?: readonly Point[];
  /** An interval around a series, also in the table. */
  readonly band?: Band;
  /** The summary of the chart. Default: the latest and the largest value of each series. */
  readonly summary?: string;
}

/** Shows lines over time or over a number. */
export const lineChart = (options: SeriesChart) => seriesFigure(options, drawLines);

/** Shows hourly or daily amounts as columns over time. They are stacked if there are several series. */
export const columnChart = (options: SeriesChart) => seriesFigure(options, drawColumns);

function seriesFigure(
  {
    title,
    unit,
    series,
    time = false,
    xTitle = time === false ? 'x' : 'Time',
    xUnit = '',
    reference = [],
    band,
    summary,
  }: SeriesChart,
  draw: typeof drawLines,
) {
  const places = placesOf(series);
  const values = series.map(({ points }) => new Map(points));
  const limits = new Map(band?.points.map(([at, low, high]) => [at, [low, high]] as const));
  return chartFigure({
    title,
    summary: summary ?? seriesSummary(series, unit),
    legend: series.map(({ name }) => name),
    columns: [xTitle, ...series.map(({ name }) => name), ...(band ? ['From', 'To'] : [])],
    count: places.length,
    row(index) {
      const at = places[index] ?? 0;
      const [low, high] = limits.get(at) ?? [];
      return [
        placeText(at, time, xUnit),
        ...values.map((one) => valueText(unit, one.get(at))),
        ...(band ? [valueText(unit, low), valueText(unit, high)] : []),
      ];
    },
    draw: (width) => draw({ series, unit, time, xUnit, reference, band }, width),
  });
}

function seriesSummary(series: readonly Series[], unit: string) {
  const described = series.flatMap(({ name, points }) => {
    const known = points.flatMap(([, y]) => (y === null ? [] : [y]));
    if (known.length === 0) return [];
    return [`${name}: latest ${valueText(unit, known.at(-1))}, maximum ${valueText(unit, extent(known)[1])}`];
  });
  if (described.length === 0) return 'No data.';
  const more = described.length > DESCRIBED ? `; and ${described.length - DESCRIBED} more` : '';
  return `${described.slice(0, DESCRIBED).join('; ')}${more}.`;
}

/** Shows horizontal bars for comparing amounts. A stacked bar has `parts` instead of a value. */
export function barChart({
  title,
  unit,
  bars,
  stacked = false,
  summary,
}: {
  title: string;
  unit: string;
  bars: readonly Bar[];
  stacked?: boolean;
  summary?: string;
}) {
  const parts = stacked
    ? [...new Set(bars.flatMap((bar) => (bar.parts ?? []).map(({ name }) => name)))]
    : [''];
  const hasIntervals = bars.some(({ low }) => low !== undefined);
  const largest = bars.toSorted((one, other) => totalOf(other) - totalOf(one))[0];
  const columns = ['Name', ...(stacked ? parts : []), 'Value', ...(hasIntervals ? ['From', 'To'] : [])];
  const rows = bars.map((bar) => [
    bar.name,
    ...(stacked
      ? parts.map((name) => valueText(unit, bar.parts?.find((part) => part.name === name)?.value))
      : []),
    valueText(unit, totalOf(bar)),
    ...(hasIntervals ? [valueText(unit, bar.low), valueText(unit, bar.high)] : []),
  ]);
  return chartFigure({
    title,
    summary:
      summary ??
      (largest
        ? `${counted(bars.length, 'bar')}; the largest: ${shortened(barText(withoutParts(largest), unit))}.`
        : 'No data.'),
    legend: stacked ? parts : [],
    columns,
    count: bars.length,
    row: (at) => rows[at] ?? [],
    draw: (width) => drawBars(bars, parts, unit, width),
    isVertical: true,
  });
}

const shortened = (text: string) => (text.length <= 80 ? text : `${text.slice(0, 60)} … ${text.slice(-16)}`);

const withoutParts = ({ parts: _parts, ...bar }: Bar): Bar => ({
  ...bar,
  value: totalOf({ ...bar, ...(_parts && { parts: _parts }) }),
});

/** Shows points with two coordinates each. */
export function scatterChart({
  title,
  x,
  y,
  points,
  summary,
}: {
  title: string;
  x: Axis;
  y: Axis;
  points: readonly Dot[];
  summary?: string;
}) {
  const series = [...new Set(points.map((point) => point.series ?? ''))];
  return chartFigure({
    title,
    summary: summary ?? `${counted(points.length, 'point')}; ${y.title} against ${lowerFirst(x.title)}.`,
    legend: series,
    columns: ['Name', x.title, y.title],
    count: points.length,
    row: (at) => [
      points[at]?.name ?? '',
      valueText(x.unit ?? '', points[at]?.x),
      valueText(y.unit ?? '', points[at]?.y),
    ],
    draw: (width) => drawScatter({ x, y, points, series }, width),
    isVertical: true,
  });
}

interface HistogramOptions {
  readonly title: string;
  readonly unit?: string;
  readonly series: readonly { name: string; values: readonly number[] }[];
  readonly bins?: number;
  readonly summary?: string;
}

/** Shows how many values are in each of several ranges of equal size. */
export function histogram({ title, unit = '', series, bins = 20, summary }: HistogramOptions) {
  const all = series.flatMap(({ values }) => values);
  const [min, max] = extent(all);
  const size = (max - min || 1) / bins;
  const binned = series.map(({ name, values }) => {
    const counts = Array.from({ length: bins }, () => 0);
    for (const value of values) {
      const at = Math.min(bins - 1, Math.floor((value - min) / size));
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return {
      name,
      bins: counts.map((number, at) => ({ from: min + at * size, to: min + (at + 1) * size, count: number })),
    };
  });
  const filled = all.length === 0 ? [] : binned;
  return chartFigure({
    title,
    summary:
      summary ??
      (all.length === 0
        ? 'No data.'
        : `${counted(all.length, 'value')} from ${valueText(unit, min)} to ${valueText(unit, max)}.`),
    legend: series.map(({ name }) => name),
    columns: ['From', 'To', ...series.map(({ name }) => name)],
    count: filled.length === 0 ? 0 : bins,
    row: (at) => [
      valueText(unit, filled[0]?.bins[at]?.from),
      valueText(unit, filled[0]?.bins[at]?.to),
      ...filled.map((one) => count(one.bins[at]?.count)),
    ],
    draw: (width) => drawHistogram(filled, unit, width),
  });
}
