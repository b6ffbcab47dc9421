import { type Comparison, type Plots, metricText, type Bin } from './results.ts';
import { barChart, heatMap, lineChart } from '#serve/http/pages/browser/components/chart.ts';
import { counted, count } from '#serve/http/pages/browser/format.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { tradeOffs } from './trade-offs.ts';
import { valueText } from '#serve/http/pages/browser/charts/axis.ts';
import { drawHistogram } from '#serve/http/pages/browser/charts/columns.ts';
import { chartFigure } from '#serve/http/pages/browser/charts/figure.ts';

/** All of an experiment's plots, in groups with headings. */
export function plotGroups(comparison: Comparison, plots: Plots) {
  const metric = plots.metric ?? '';
  return [
    group('Quality, latency and cost', [
      ...metricBars(comparison, metric),
      ...tradeOffs(comparison, metric),
      ...histograms(plots),
    ]),
    group('Errors', [...confusions(plots), ...lengthChart(plots)]),
    group(plots.label === null ? 'Scores of labels' : `Scores for the label ${plots.label}`, curves(plots)),
  ].flat();
}

const group = (title: string, charts: readonly Node[]) =>
  charts.length === 0
    ? []
    : [
        element(
          'section',
          { 'aria-label': title },
          element('h3', {}, title),
          element('div', { class: 'charts' }, ...charts),
        ),
      ];

function metricBars({ workflows }: Comparison, metric: string) {
  const bars = workflows.flatMap(({ name, metrics }) => {
    const found = metrics[metric];
    return found ? [{ name, value: found.value, ...found.interval }] : [];
  });
  if (bars.length === 0) return [];
  return [
    barChart({
      title: `${metric} by model`,
      unit: '',
      bars,
      summary: bars.some((bar) => 'low' in bar)
        ? 'The lines are 95% confidence intervals.'
        : 'Without intervals.',
    }),
  ];
}

function histograms({ workflows, metric }: Plots) {
  const withScores = workflows.filter(({ scores }) => scores.length > 0);
  const withLatency = workflows.filter(({ latency }) => latency.some(({ rows }) => rows > 0));
  return [
    withScores.length === 0
      ? []
      : binnedHistogram({
          title: `Rows by ${metric}`,
          summary: 'Number of rows with each score.',
          series: withScores.map(({ name, scores }) => ({ name, bins: scores })),
        }),
    withLatency.length === 0
      ? []
      : binnedHistogram({
          title: 'Rows by latency',
          unit: 'ms',
          summary: 'The slowest 1% of rows are omitted.',
          series: withLatency.map(({ name, latency }) => ({ name, bins: latency })),
        }),
  ].flat();
}

/** Maximum number of labels. Larger matrices are hard to read on a page. */
const MAX_LABELS = 40;

const confusions = ({ workflows }: Plots) =>
  workflows.flatMap(({ name, confusion }) => {
    if (!confusion || confusion.labels.length > MAX_LABELS) return [];
    return [
      heatMap({
        title: `Confusion matrix of ${name}`,
        corner: 'True \\ predicted',
        rows: confusion.labels,
        columns: confusion.labels,
        cells: confusion.matrix,
      }),
    ];
  });

function lengthChart({ workflows, metric }: Plots) {
  const series = workflows.flatMap(({ name, lengths }) =>
    lengths.length === 0
      ? []
      : [{ name, points: lengths.map(({ from, to, mean }) => point((from + to) / 2, mean)) }],
  );
  if (series.length === 0) return [];
  return [
    lineChart({
      title: `${metric} by text length`,
      unit: '',
      xTitle: 'Characters',
      series,
      summary:
        'Each point is the mean over a tenth of the rows, ordered from the shortest to the longest text.',
    }),
  ];
}

const point = (x: number, y: number): [number, number] => [x, y];

function curves({ workflows }: Plots) {
  const known = workflows.flatMap(({ name, curves: found }) => (found ? [{ name, ...found }] : []));
  if (known.length === 0) return [];
  const area = (key: 'roc_auc' | 'average_precision') =>
    known.map((one) => `${one.name}: ${metricText(one[key])}`).join('; ');
  return [
    lineChart({
      title: 'ROC curve',
      unit: '',
      xTitle: 'False positive rate',
      series: known.map(({ name, roc }) => ({ name, points: roc })),
      reference: [point(0, 0), point(1, 1)],
      summary: `Area under the curve: ${area('roc_auc')}.`,
    }),
    lineChart({
      title: 'Precision against recall',
      unit: '',
      xTitle: 'Recall',
      series: known.map(({ name, precision_recall: points }) => ({ name, points })),
      summary: `Average precision: ${area('average_precision')}.`,
    }),
    lineChart({
      title: 'Calibration',
      unit: '',
      xTitle: 'Score of the label',
      series: known.map(({ name, calibration }) => ({
        name,
        points: calibration.map(({ predicted, observed }) => point(predicted, observed)),
      })),
      reference: [point(0, 0), point(1, 1)],
      summary: `Share of rows that have the label, by score. The dashed line is a perfectly calibrated model. ${counted(known[0]?.rows ?? 0, 'row')} for each model.`,
    }),
  ];
}

/** A histogram of bins counted by the server. */
function binnedHistogram({
  title,
  unit = '',
  summary,
  series,
}: {
  title: string;
  unit?: string;
  summary: string;
  series: readonly { name: string; bins: readonly Bin[] }[];
}) {
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
