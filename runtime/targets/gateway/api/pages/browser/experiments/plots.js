/** @import { Comparison, Plots } from './results.js' */
import { barChart, heatMap, lineChart } from '../components/chart.js';
import { counted } from '../counted.js';
import { element } from '../dom.js';
import { binnedHistogram } from './binned-histogram.js';
import { metricText } from './metric-names.js';
import { tradeOffs } from './trade-offs.js';

/**
 * All plots of an experiment, in groups with headings.
 * @param {Comparison} comparison
 * @param {Plots} plots
 */
export function plotGroups(comparison, plots) {
  const metric = plots.metric ?? '';
  return [
    group('Quality, latency and cost', [
      ...metricBars(comparison, metric),
      ...tradeOffs(comparison, metric),
      ...histograms(plots),
    ]),
    group('Errors', [...confusions(plots), ...lengthChart(plots)]),
    group(plots.label === null ? 'Scores of labels' : `Scores of the label ${plots.label}`, curves(plots)),
  ].flat();
}

/**
 * @param {string} title
 * @param {readonly Node[]} charts
 */
const group = (title, charts) =>
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

/**
 * @param {Comparison} comparison
 * @param {string} metric
 */
function metricBars({ workflows }, metric) {
  const bars = workflows.flatMap(({ name, metrics }) => {
    const found = metrics[metric];
    return found ? [{ name, value: found.value, ...found.interval }] : [];
  });
  if (bars.length === 0) return [];
  return [
    barChart({
      title: `${metric} of each model`,
      unit: '',
      bars,
      summary: bars.some((bar) => 'low' in bar)
        ? 'The lines are 95% confidence intervals.'
        : 'Without intervals.',
    }),
  ];
}

/** @param {Plots} plots */
function histograms({ workflows, metric }) {
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
          summary: 'The slowest 1% of the rows is left out.',
          series: withLatency.map(({ name, latency }) => ({ name, bins: latency })),
        }),
  ].flat();
}

/** Larger matrices are hard to read in a page. */
const MAX_LABELS = 40;

/** @param {Plots} plots */
const confusions = ({ workflows }) =>
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

/** @param {Plots} plots */
function lengthChart({ workflows, metric }) {
  const series = workflows.flatMap(({ name, lengths }) =>
    lengths.length === 0
      ? []
      : [{ name, points: lengths.map(({ from, to, mean }) => point((from + to) / 2, mean)) }],
  );
  if (series.length === 0) return [];
  return [
    lineChart({
      title: `${metric} against the length of the text`,
      unit: '',
      xTitle: 'Characters',
      series,
      summary: 'Each point is the mean of a tenth of the rows, from the shortest to the longest texts.',
    }),
  ];
}

/**
 * @param {number} x
 * @param {number} y
 * @returns {[number, number]}
 */
const point = (x, y) => [x, y];

/** @param {Plots} plots */
function curves({ workflows }) {
  const known = workflows.flatMap(({ name, curves: found }) => (found ? [{ name, ...found }] : []));
  if (known.length === 0) return [];
  const area = (/** @type {'roc_auc' | 'average_precision'} */ key) =>
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
      summary: `Share of rows that have the label, in bins of their score; the dashed line is a perfect model. ${counted(known[0]?.rows ?? 0, 'row')} for each model.`,
    }),
  ];
}
