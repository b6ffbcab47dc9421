/** @import { Comparison, Plots, ResultRow } from './results.js' */
import { byId, element } from '../dom.js';
import { facts } from '../components/facts.js';
import { count, dateTime, duration, money } from '../format.js';
import { differences } from './differences.js';
import { metricMatrix } from './matrix.js';
import { plotGroups } from './plots.js';
import { rowTable } from './row-table.js';
import { table } from '../table.js';
import { scrollable } from '../dom.js';

/**
 * @typedef {object} Report
 * @property {string} created_at
 * @property {string} version
 * @property {{ name: string, description: string }} experiment
 * @property {Comparison} comparison
 * @property {Plots} plots
 * @property {readonly ResultRow[]} rows
 * @property {number} total rows of the experiment
 */

/** Fills the page of a report with the data that is in it. */
function showReport() {
  const report = /** @type {Report} */ (JSON.parse(byId('report-data', HTMLScriptElement).textContent));
  const { experiment, comparison, plots, rows, total } = report;
  document.title = experiment.name;
  document.body.replaceChildren(
    element(
      'main',
      { id: 'main', class: 'report' },
      element('h1', {}, experiment.name),
      ...(experiment.description === '' ? [] : [element('p', {}, experiment.description)]),
      facts([
        ['Task', comparison.experiment.task_definition.task],
        ['Rows', count(total)],
        ['Report of', dateTime(report.created_at)],
        ['Created by', `gateway ${report.version}`],
      ]),
      part('Metrics', metricMatrix(comparison)),
      part('Cost and speed', speeds(comparison)),
      part('Differences', differences(comparison)),
      part('Plots', ...plotGroups(comparison, plots)),
      part(
        'Rows',
        ...(rows.length < total ? [element('p', {}, shownRows(rows.length, total))] : []),
        rowTable({
          workflows: comparison.workflows,
          metric: plots.metric,
          load: loadFrom(rows, plots.metric),
        }),
      ),
    ),
  );
}

/**
 * @param {number} shown
 * @param {number} total
 */
const shownRows = (shown, total) =>
  `This report has ${count(shown)} of ${count(total)} rows, those with different answers first.`;

/**
 * @param {string} title
 * @param {...Node} content
 */
const part = (title, ...content) =>
  element('section', { 'aria-label': title, class: 'page' }, element('h2', {}, title), ...content);

/** @param {Comparison} comparison */
const speeds = ({ workflows }) =>
  scrollable(
    'Cost and speed of the models',
    table(
      'Cost and speed of the models',
      [
        'Model',
        'Median latency',
        '95% are faster than',
        'Rows per second',
        'Cost',
        'Cost of 1,000 rows',
        'Tokens per row',
      ],
      workflows.map(
        ({
          name,
          latency_ms: latency,
          rows_per_second: speed,
          cost,
          cost_per_row: each,
          tokens_per_row: tokens,
        }) => [
          name,
          duration(latency?.p50),
          duration(latency?.p95),
          count(speed),
          money(cost),
          money(each === null ? null : each * 1000),
          count(tokens),
        ],
      ),
      'data',
    ),
  );

/**
 * The rows of the report, searched and sorted here, because there is no server.
 * @param {readonly ResultRow[]} rows
 * @param {string | null} metric
 * @returns {Parameters<typeof rowTable>[0]['load']}
 */
const loadFrom =
  (rows, metric) =>
  async ({ sort, filters, cursor, limit }) => {
    const search = (filters['search'] ?? '').toLowerCase();
    const found = rows.filter(
      (row) =>
        (filters['show'] !== 'differences' || row.differs) &&
        (filters['show'] !== 'errors' || Object.values(row.models).some(({ error }) => error !== null)) &&
        (search === '' || textOf(row).includes(search)),
    );
    const sign = sort.startsWith('-') ? -1 : 1;
    const keyOf = keyFor(sort.replace('-', ''), metric);
    const sorted = found.toSorted((one, other) => sign * (keyOf(one) - keyOf(other)) || one.row - other.row);
    const from = Number(cursor ?? 0);
    const next = from + limit;
    return {
      rows: sorted.slice(from, next),
      total: found.length,
      next: next < found.length ? String(next) : null,
    };
  };

/** @param {ResultRow} row */
const textOf = (row) =>
  [
    row.example,
    JSON.stringify(row.ground_truth),
    ...Object.values(row.models).map(({ answer }) => JSON.stringify(answer)),
  ]
    .join('\n')
    .toLowerCase();

/**
 * @param {string} order
 * @param {string | null} metric
 * @returns {(row: ResultRow) => number}
 */
function keyFor(order, metric) {
  if (order === 'length') return ({ example }) => example.length;
  if (order !== 'spread' || metric === null) return ({ row }) => row;
  return ({ models }) => {
    const scores = Object.values(models).flatMap((model) => model.scores[metric] ?? []);
    return scores.length === 0 ? -1 : Math.max(...scores) - Math.min(...scores);
  };
}

showReport();
