import type { Comparison, Plots, ResultRow } from './results.ts';
import { byId, element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { facts, table } from '#serve/http/pages/browser/components/facts.ts';
import { count, dateTime, duration, money } from '#serve/http/pages/browser/format.ts';
import { differences } from './differences.ts';
import { metricMatrix } from './matrix.ts';
import { plotGroups } from './plots.ts';
import { rowTable } from './row-table.ts';

interface Report {
  readonly created_at: string;
  readonly version: string;
  readonly experiment: { name: string; description: string };
  readonly comparison: Comparison;
  readonly plots: Plots;
  readonly rows: readonly ResultRow[];
  /** The experiment's rows. */
  readonly total: number;
}

/** Fills a report page with the data embedded in it. */
function showReport() {
  const report = JSON.parse(byId('report-data', HTMLScriptElement).textContent) as Report;
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
          task: comparison.experiment.task_definition.task,
          metric: plots.metric,
          load: loadFrom(rows, plots.metric),
        }),
      ),
    ),
  );
}

const shownRows = (shown: number, total: number) =>
  `This report contains ${count(shown)} of ${count(total)} rows, starting with those where the answers differ.`;

const part = (title: string, ...content: Node[]) =>
  element('section', { 'aria-label': title, class: 'page' }, element('h2', {}, title), ...content);

const speeds = ({ workflows }: Comparison) =>
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

/** The report's rows. They are searched and sorted in the browser, because a report has no server. */
const loadFrom =
  (rows: readonly ResultRow[], metric: string | null): Parameters<typeof rowTable>[0]['load'] =>
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

const textOf = (row: ResultRow) =>
  [
    row.example,
    JSON.stringify(row.ground_truth),
    ...Object.values(row.models).map(({ answer }) => JSON.stringify(answer)),
  ]
    .join('\n')
    .toLowerCase();

function keyFor(order: string, metric: string | null): (row: ResultRow) => number {
  if (order === 'length') return ({ example }) => example.length;
  if (order !== 'spread' || metric === null) return ({ row }) => row;
  return ({ models }) => {
    const scores = Object.values(models).flatMap((model) => model.scores[metric] ?? []);
    return scores.length === 0 ? -1 : Math.max(...scores) - Math.min(...scores);
  };
}

showReport();
