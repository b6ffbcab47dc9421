import { type TSchema, Type } from 'typebox';
import { closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';
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
  'Where the number lies with a probability of 95%, by the bootstrap over rows; null where rows have none alone.',
);

const metric = Type.Object(
  { value: Type.Number(), rows: count('That have a score of their own.'), interval },
  { additionalProperties: false },
);

const workflow = closed('ComparedWorkflow', {
  id: Type.String(),
  name: Type.String(),
  model: Type.String(),
  provider: Type.String(),
  status: oneOf(['created', 'running', 'succeeded', 'failed']),
  error: orNull(Type.String(), 'Why it failed.'),
  rows: count(),
  failed_rows: count('Rows that the model did not answer.'),
  unscored_rows: count('Rows that it answered and a metric could not score.'),
  failures,
  metrics: mapOf(metric, 'By name; none unless it has succeeded.'),
  cost: orNull(
    Type.Number({ minimum: 0 }),
    'In US dollars; null for models outside this gateway or without a price.',
  ),
  prompt_tokens: count(),
  completion_tokens: count(),
  latency_ms: orNull(
    closed('Latency', { mean: Type.Number(), p50: Type.Number(), p95: Type.Number() }),
    'Per row; rows of one request to an encoder share its time.',
  ),
  seconds: orNull(Type.Number(), 'How long all of them took.'),
});

const pair = closed('ComparedPair', {
  metric: Type.String(),
  first: Type.String({ description: 'The id of a workflow.' }),
  second: Type.String(),
  difference: orNull(Type.Number(), 'How much more the second has: the mean over rows.'),
  interval,
  rows: count('That both have a score for.'),
  test: oneOf(['mcnemar_exact', 'randomisation']),
  p_value: orNull(Type.Number()),
  adjusted_p_value: orNull(Type.Number(), 'Raised by Holm’s method for all pairs of this metric.'),
});

const disagreement = closed('Disagreement', {
  row: Type.Integer({ minimum: 1 }),
  example: Type.String(),
  ground_truth: Type.Unknown(),
  answers: mapOf(Type.Unknown(), 'By the id of a workflow.'),
});

export const comparison = closed('Comparison', {
  experiment: closed('ComparedExperiment', {
    id: Type.String(),
    name: Type.String(),
    dataset: Type.String(),
    task_definition: taskDefinition,
  }),
  partial: Type.Boolean({ description: 'Whether a workflow failed, or is not done yet.' }),
  metrics: Type.Array(Type.String()),
  workflows: Type.Array(workflow),
  pairs: Type.Array(pair),
  disagreements: orNull(
    closed('Disagreements', { total: count(), items: Type.Array(disagreement) }),
    'Rows that are answered differently; null where there is nothing to compare.',
  ),
});
