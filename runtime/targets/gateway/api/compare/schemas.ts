import { type TSchema, Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { taskDefinition } from '../experiments/schemas.ts';
import { count } from '../http/fields.ts';
import { failures } from '../workflows/schemas.ts';

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
    answered: count('Number of rows that the model answered.'),
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
  error: orNull(Type.String(), 'Reason of the failure.'),
  rows: count(),
  failed_rows: count('Number of rows that the model did not answer.'),
  answered_rows: count('Number of rows that the model answered.'),
  cached_rows: count('Number of rows whose answer is from the cache of the experiment. They cost nothing.'),
  cached_verdicts: count('Number of verdicts of judges from the cache of the experiment.'),
  unscored_rows: count('Number of answered rows that a metric could not score.'),
  failures,
  metrics: mapOf(metric, 'Metrics by name. Empty unless the workflow has succeeded.'),
  cost: orNull(
    Type.Number({ minimum: 0 }),
    'Cost in US dollars; null for models outside this gateway or without a price.',
  ),
  cost_per_row: orNull(
    Type.Number({ minimum: 0 }),
    'Cost of the answers in US dollars, divided by the rows that are not from the cache.',
  ),
  tokens_per_row: orNull(
    Type.Number({ minimum: 0 }),
    'Input and output tokens of an answered row, also if its answer is from the cache.',
  ),
  rows_per_second: orNull(
    Type.Number({ minimum: 0 }),
    'Rows that one worker gets answers for in a second, without those from the cache.',
  ),
  prompt_tokens: count(),
  completion_tokens: count(),
  latency_ms: orNull(
    closed('Latency', { mean: Type.Number(), p50: Type.Number(), p95: Type.Number() }),
    'Latency per row, in milliseconds. Rows of one encoder request share its time.',
  ),
  seconds: orNull(Type.Number(), 'Total time in seconds.'),
});

const pair = closed('ComparedPair', {
  metric: Type.String(),
  first: Type.String({ description: 'Workflow id.' }),
  second: Type.String(),
  difference: orNull(
    Type.Number(),
    'Mean over rows of the score of the second workflow minus that of the first.',
  ),
  interval,
  rows: count('Number of rows that both have a score for.'),
  test: oneOf(['mcnemar_exact', 'randomization']),
  p_value: orNull(Type.Number()),
  adjusted_p_value: orNull(
    Type.Number(),
    'p-value, corrected by Holm’s method for all pairs of this metric.',
  ),
});

const disagreement = closed('Disagreement', {
  row: Type.Integer({ minimum: 1 }),
  example: Type.String(),
  ground_truth: Type.Unknown(),
  answers: mapOf(Type.Unknown(), 'Answers by workflow id.'),
});

const spread = Type.Object(
  {
    mean: Type.Number(),
    deviation: Type.Number({ minimum: 0, description: 'Standard deviation of the sample.' }),
    min: Type.Number(),
    max: Type.Number(),
  },
  { additionalProperties: false },
);

const repeats = closed('ComparedRepeats', {
  name: Type.String({ description: 'Name of the first repetition.' }),
  workflows: Type.Array(Type.String(), { description: 'Workflow ids.' }),
  metrics: mapOf(spread, 'Metrics that all repetitions have, by name.'),
});

export const comparison = closed('Comparison', {
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
    description: 'Models with at least two workflows that differ in `repeat` only.',
  }),
  disagreements: orNull(
    closed('Disagreements', { total: count(), items: Type.Array(disagreement) }),
    'Rows with different answers; null if there is nothing to compare.',
  ),
});
