import type { ModelComparison, ComparedMetric, ComparedWorkflow } from './comparison.ts';
import { dollars, number, plain, table, withInterval } from './markdown-table.ts';

/** Differences with a p-value below this level are marked as significant. */
const SIGNIFICANCE_LEVEL = 0.05;
const MAX_SHOWN_ROWS = 10;

/** A Markdown report: each model's scores and cost, significant differences, and rows where the models disagree. */
export function comparisonMarkdown(comparison: ModelComparison): string {
  const { experiment, workflows, metrics } = comparison;
  const shown = metrics.filter((name) => workflows.some((workflow) => workflow.metrics[name]?.interval));
  const others = metrics.filter((name) => !shown.includes(name));
  return [
    `# ${plain(experiment.name)}`,
    table(
      ['model', 'status', 'answered', ...shown, 'cost', ...PER_ROW],
      workflows.map((one) => [
        plain(one.name),
        one.status,
        answeredText(one),
        ...shown.map((name) => metricText(one.metrics[name])),
        dollars(one.cost),
        dollars(one.costPerRow),
        one.tokensPerRow === null ? '-' : one.tokensPerRow.toFixed(1),
        ...[one.latency?.p50, one.latency?.p95, one.rowsPerSecond].map((value) =>
          value === undefined || value === null ? '-' : number(value),
        ),
      ]),
    ),
    'Brackets show 95% confidence intervals (bootstrap over rows).',
    ...failedLines(workflows),
    ...(others.length === 0 ? [] : ['## Other metrics', otherMetrics(workflows, others)]),
    ...repeatLines(comparison),
    ...pairLines(comparison),
    ...disagreementLines(comparison),
    ...failureLines(workflows),
  ]
    .join('\n\n')
    .concat('\n');
}

const PER_ROW = ['cost per row', 'tokens per row', 'p50 ms', 'p95 ms', 'rows/s'];

const answeredText = ({ answeredRows, cachedRows, unscoredRows, rows }: ComparedWorkflow): string =>
  [
    `${answeredRows} of ${rows}`,
    ...(cachedRows === 0 ? [] : [`${cachedRows} cached`]),
    ...(unscoredRows === 0 ? [] : [`${unscoredRows} not scored`]),
  ].join(', ');

function failedLines(workflows: readonly ComparedWorkflow[]): readonly string[] {
  const failed = workflows.filter(({ status, failedRows }) => status === 'succeeded' && failedRows > 0);
  if (failed.length === 0) return [];
  const skipped = failed.filter(({ failures }) => failures === 'skipped').map(({ name }) => plain(name));
  if (skipped.length === 0) return ['Failed rows count as wrong.'];
  if (skipped.length === failed.length) return ['Failed rows are skipped; scores only cover the other rows.'];
  return [`Failed rows count as wrong, except for ${skipped.join(', ')}, where they are skipped.`];
}

const otherMetrics = (workflows: readonly ComparedWorkflow[], names: readonly string[]): string =>
  table(
    ['metric', ...workflows.map(({ name }) => plain(name))],
    [
      ['answered', ...workflows.map(answeredText)],
      ['cost', ...workflows.map(({ cost }) => dollars(cost))],
      ...names.map((name) => [name, ...workflows.map(({ metrics }) => metricText(metrics[name]))]),
    ],
  );

function repeatLines({ repeats }: ModelComparison): readonly string[] {
  const rows = repeats.flatMap(({ name, workflowIds, metrics }) =>
    Object.entries(metrics).map(([metric, { mean, deviation, min, max }]) => [
      plain(name),
      metric,
      String(workflowIds.length),
      ...[mean, deviation, min, max].map(number),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '## Repeats',
    table(['model', 'metric', 'runs', 'mean', 'standard deviation', 'lowest', 'highest'], rows),
  ];
}

function pairLines({ pairs, workflows }: ModelComparison): readonly string[] {
  if (pairs.length === 0) return [];
  const rows = pairs.map(({ metric, first, second, mean, interval, p_value: p, adjusted }) => [
    metric,
    `${nameOf(workflows, second)} - ${nameOf(workflows, first)}`,
    `${signed(mean ?? 0)}${interval ? ` [${signed(interval.low)}, ${signed(interval.high)}]` : ''}`,
    p === null ? '-' : probability(p),
    adjusted === null ? '-' : `${probability(adjusted)}${adjusted < SIGNIFICANCE_LEVEL ? ' *' : ''}`,
  ]);
  return [
    '## Differences',
    table(['metric', 'models', 'difference', 'p', 'p (Holm)'], rows),
    `\\* statistically significant (p < ${SIGNIFICANCE_LEVEL}).`,
  ];
}

function disagreementLines({ disagreements, workflows }: ModelComparison): readonly string[] {
  if (disagreements === null) return [];
  const { total, items } = disagreements;
  const title = `## Rows with different answers: ${total}`;
  if (items.length === 0) return [title];
  const ids = Object.keys(items[0]?.answers ?? {});
  const rows = items
    .slice(0, MAX_SHOWN_ROWS)
    .map(({ row, example, groundTruth, answers }) => [
      String(row),
      plain(example),
      plain(textOf(groundTruth)),
      ...ids.map((id) => plain(textOf(answers[id]))),
    ]);
  return [title, table(['row', 'example', 'ground truth', ...ids.map((id) => nameOf(workflows, id))], rows)];
}

function failureLines(workflows: readonly ComparedWorkflow[]): readonly string[] {
  const missing = workflows.filter(({ status }) => status !== 'succeeded');
  if (missing.length === 0) return [];
  const lines = missing.map(
    ({ name, status, error }) => `- ${plain(name)}: ${status}${error ? `: ${plain(error, 500)}` : ''}`,
  );
  return ['## Not compared', lines.join('\n')];
}

const metricText = (metric: ComparedMetric | undefined): string =>
  metric ? withInterval(metric.value, metric.interval) : '-';

const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`;
const probability = (p: number): string => (p < 0.001 ? '<0.001' : p.toFixed(3));
const nameOf = (workflows: readonly ComparedWorkflow[], id: string): string =>
  plain(workflows.find((workflow) => workflow.id === id)?.name ?? id);
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
