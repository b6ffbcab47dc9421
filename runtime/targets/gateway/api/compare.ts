import { type TSchema, Type } from 'typebox';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { comparisonCsv } from '../evaluation/compare/as-csv.ts';
import { comparisonMarkdown } from '../evaluation/compare/as-markdown.ts';
import { createComparer } from '../evaluation/compare/comparer.ts';
import type { ModelComparison } from '../evaluation/compare/comparison.ts';
import { taskDefinition } from './experiments-schemas.ts';
import { EXPERIMENT_ID, taskView } from './experiments.ts';
import { viewOf } from './guards.ts';
import { textAnswer } from './http/answers.ts';
import { count } from './http/fields.ts';
import { API, type HttpParts } from './http/parts.ts';
import { failures } from './workflows-schemas.ts';

const mapOf = (value: TSchema, description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: value,
    description,
  });

const interval = orNull(
  closed('Interval', { low: Type.Number(), high: Type.Number() }),
  '95% confidence interval, from a bootstrap over rows; null for metrics without a score per row.',
);

const metric = Type.Object(
  {
    value: Type.Number(),
    rows: count('Number of rows with a score.'),
    answered: count('Number of rows with a model response.'),
    interval,
  },
  { additionalProperties: false },
);

const workflow = closed('ComparedWorkflow', {
  id: Type.String(),
  name: Type.String(),
  model: Type.String(),
  provider: Type.String(),
  status: oneOf(['created', 'running', 'succeeded', 'failed']),
  error: orNull(Type.String(), 'Reason for the failure.'),
  rows: count(),
  failed_rows: count('Number of rows without a model response.'),
  answered_rows: count('Number of rows with a model response.'),
  cached_rows: count(
    'Number of rows whose response came from the experiment’s cache. Cached responses are free.',
  ),
  cached_verdicts: count('Number of judge verdicts from the experiment’s cache.'),
  unscored_rows: count('Number of rows with a response that a metric could not score.'),
  failures,
  metrics: mapOf(metric, 'Metrics by name. Empty unless the workflow has succeeded.'),
  cost: orNull(
    Type.Number({ minimum: 0 }),
    'Cost in US dollars; null for models outside this gateway or without a price.',
  ),
  cost_per_row: orNull(
    Type.Number({ minimum: 0 }),
    'Cost of the responses in US dollars, divided by the number of rows not from the cache.',
  ),
  tokens_per_row: orNull(
    Type.Number({ minimum: 0 }),
    'Input and output tokens per row with a response, even if the response came from the cache.',
  ),
  rows_per_second: orNull(
    Type.Number({ minimum: 0 }),
    'Rows processed per second by one worker, excluding rows from the cache.',
  ),
  prompt_tokens: count(),
  completion_tokens: count(),
  latency_ms: orNull(
    closed('Latency', { mean: Type.Number(), p50: Type.Number(), p95: Type.Number() }),
    'Latency per row, in milliseconds. The latency of an encoder request is divided equally among its rows.',
  ),
  seconds: orNull(Type.Number(), 'Total time in seconds.'),
});

const pair = closed('ComparedPair', {
  metric: Type.String(),
  first: Type.String({ description: 'Workflow id.' }),
  second: Type.String(),
  difference: orNull(Type.Number(), 'Mean over rows of the second workflow’s score minus the first’s.'),
  interval,
  rows: count('Number of rows for which both have a score.'),
  test: oneOf(['mcnemar_exact', 'randomization']),
  p_value: orNull(Type.Number()),
  adjusted_p_value: orNull(
    Type.Number(),
    'p-value, corrected with Holm’s method across all pairs for this metric.',
  ),
});

const disagreement = closed('Disagreement', {
  row: Type.Integer({ minimum: 1 }),
  example: Type.String(),
  ground_truth: Type.Unknown(),
  answers: mapOf(Type.Unknown(), 'Responses by workflow ID.'),
});

const spread = Type.Object(
  {
    mean: Type.Number(),
    deviation: Type.Number({ minimum: 0, description: 'Sample standard deviation.' }),
    min: Type.Number(),
    max: Type.Number(),
  },
  { additionalProperties: false },
);

const repeats = closed('ComparedRepeats', {
  name: Type.String({ description: 'Name of the first repetition.' }),
  workflows: Type.Array(Type.String(), { description: 'Workflow ids.' }),
  metrics: mapOf(spread, 'Metrics available for all repetitions, by name.'),
});

const comparison = closed('Comparison', {
  experiment: closed('ComparedExperiment', {
    id: Type.String(),
    name: Type.String(),
    dataset: Type.String(),
    task_definition: taskDefinition,
  }),
  partial: Type.Boolean({ description: 'Whether a workflow has failed or is not finished.' }),
  metrics: Type.Array(Type.String()),
  workflows: Type.Array(workflow),
  pairs: Type.Array(pair),
  repeats: Type.Array(repeats, {
    description: 'Models with at least two workflows that differ only in `repeat`.',
  }),
  disagreements: orNull(
    closed('Disagreements', { total: count(), items: Type.Array(disagreement) }),
    'Rows where the models’ responses differ; null if there is nothing to compare.',
  ),
});

const FORMATS = ['json', 'csv', 'markdown'] as const;
const MARKDOWN = 'text/markdown; charset=utf-8';
const DISAGREEMENTS = { min: 0, max: 1000, fallback: 20 };

/** `GET /api/v1/experiments/{id}/compare`. */
export function compareRoutes(
  {
    jobs,
    experiments,
    workflows,
    state,
  }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  const compare = createComparer({ datasets: jobs.datasets, usage: state.usage });

  return [
    route({
      method: 'get',
      path: `${API}/experiments/:id/compare`,
      guard: guards.evaluation,
      id: 'compareExperiment',
      tag: 'Experiments',
      summary: 'Compare the results of the models.',
      description: 'Failed models are included with the reason.',
      parameters: [
        EXPERIMENT_ID,
        {
          name: 'format',
          in: 'query',
          description: 'Response format. Default: determined by the `Accept` header.',
          example: 'json',
          schema: oneOf(FORMATS, { default: 'json' }),
        },
        {
          name: 'disagreements',
          in: 'query',
          description: 'Maximum number of returned rows where the models’ responses differ.',
          example: DISAGREEMENTS.fallback,
          schema: wholeNumber(DISAGREEMENTS.min, DISAGREEMENTS.max, DISAGREEMENTS.fallback),
        },
      ],
      answer: answerOf('The comparison.', comparison, {
        experiment: {
          id: EXPERIMENT_ID.example,
          name: 'reviews',
          dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55',
          task_definition: { task: 'text-classification' },
        },
        partial: false,
        metrics: ['accuracy'],
        workflows: [],
        pairs: [],
        repeats: [],
        disagreements: null,
      }),
      otherAnswers: [
        { mediaType: 'text/csv', schema: Type.String(), examples: { rows: 'workflow_id,name\r\n' } },
        { mediaType: 'text/markdown', schema: Type.String(), examples: { table: '# reviews\n' } },
      ],
      run: async (c) => {
        const format = wordOf(c, 'format', FORMATS, formatOf(c.req.header('Accept')));
        const maxDisagreements = wholeNumberOf(c, 'disagreements', DISAGREEMENTS);
        const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
        const all = await workflows.ofExperiments([experiment.id]);
        const compared = await compare(experiment, all, maxDisagreements);
        if (format === 'csv') {
          const filename = `${experiment.name}.csv`;
          return textAnswer(c, comparisonCsv(compared), { mediaType: 'text/csv; charset=utf-8', filename });
        }
        return format === 'markdown'
          ? c.body(comparisonMarkdown(compared), 200, { 'Content-Type': MARKDOWN })
          : comparisonView(compared);
      },
    }),
  ];
}

function formatOf(accept = ''): (typeof FORMATS)[number] {
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('text/markdown') ? 'markdown' : 'json';
}

export const comparisonView = ({
  experiment,
  partial,
  metrics,
  workflows,
  pairs,
  repeats,
  disagreements,
}: ModelComparison) => ({
  experiment: {
    id: experiment.id,
    name: experiment.name,
    dataset: experiment.datasetId,
    task_definition: taskView(experiment.task),
  },
  partial,
  metrics,
  workflows: workflows.map((workflow) => ({
    id: workflow.id,
    name: workflow.name,
    model: workflow.model,
    provider: workflow.provider,
    status: workflow.status,
    error: workflow.error,
    rows: workflow.rows,
    failed_rows: workflow.failedRows,
    answered_rows: workflow.answeredRows,
    cached_rows: workflow.cachedRows,
    cached_verdicts: workflow.cachedVerdicts,
    unscored_rows: workflow.unscoredRows,
    failures: workflow.failures,
    metrics: workflow.metrics,
    cost: workflow.cost,
    cost_per_row: workflow.costPerRow,
    tokens_per_row: workflow.tokensPerRow,
    rows_per_second: workflow.rowsPerSecond,
    prompt_tokens: workflow.promptTokens,
    completion_tokens: workflow.completionTokens,
    latency_ms: workflow.latency,
    seconds: workflow.seconds,
  })),
  pairs: pairs.map(({ metric, first, second, mean, interval, rows, test, p_value, adjusted }) => ({
    metric,
    first,
    second,
    difference: mean,
    interval,
    rows,
    test,
    p_value,
    adjusted_p_value: adjusted,
  })),
  repeats: repeats.map(({ name, workflowIds, metrics: spreads }) => ({
    name,
    workflows: workflowIds,
    metrics: spreads,
  })),
  disagreements: disagreements && {
    total: disagreements.total,
    items: disagreements.items.map(({ row, example, groundTruth, answers }) => ({
      row,
      example,
      ground_truth: groundTruth,
      answers,
    })),
  },
});
