import { type TSchema, Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { count, timeOrNull, pageSchema } from './http/fields.ts';

const mapOf = (value: TSchema, description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: value,
    description,
  });

const modelRow = Type.Object(
  {
    answer: Type.Unknown({ description: 'Model response; null if there is none, and for vectors.' }),
    error: orNull(Type.String(), 'Reason why there is no response.'),
    latency_ms: orNull(Type.Number()),
    scores: mapOf(Type.Number(), 'Scores by metric.'),
    reasons: mapOf(Type.String(), 'Judges’ reasons, by metric.'),
  },
  { additionalProperties: false },
);

const resultRow = closed('ExperimentRow', {
  row: Type.Integer({ minimum: 1, description: 'Row number, starting at 1.' }),
  example: Type.String({ description: 'Text of the row, at most 4,000 characters.' }),
  ground_truth: Type.Unknown(),
  differs: Type.Boolean({ description: 'Whether the models’ responses differ.' }),
  models: mapOf(modelRow, 'Results by workflow ID.'),
});

export const resultRows = pageSchema('ExperimentRows', resultRow);

const bin = Type.Object(
  { from: Type.Number(), to: Type.Number(), rows: count() },
  { additionalProperties: false },
);
const points = (description: string) =>
  Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { description });

const curves = closed('LabelCurves', {
  rows: count(),
  roc_auc: orNull(Type.Number()),
  average_precision: orNull(Type.Number()),
  roc: points('False positive rate and true positive rate.'),
  precision_recall: points('Recall and precision.'),
  calibration: Type.Array(
    Type.Object(
      { rows: count(), predicted: Type.Number(), observed: Type.Number() },
      { additionalProperties: false },
    ),
    { description: 'Mean score of the label and share of rows that have it, in bins of equal width.' },
  ),
});

const workflowPlots = closed('WorkflowPlots', {
  id: Type.String(),
  name: Type.String(),
  confusion: orNull(
    closed('Confusion', {
      labels: Type.Array(Type.String()),
      matrix: Type.Array(Type.Array(count())),
    }),
    'Rows are true labels, columns are predicted labels.',
  ),
  curves: orNull(curves, 'Curves for the label against all others; null for models without label scores.'),
  scores: Type.Array(bin, { description: 'Histogram of the metric’s scores.' }),
  latency: Type.Array(bin, { description: 'Latency histogram, in milliseconds.' }),
  lengths: Type.Array(
    Type.Object(
      { from: Type.Number(), to: Type.Number(), rows: count(), mean: Type.Number() },
      { additionalProperties: false },
    ),
    { description: 'Mean metric score by text length in characters.' },
  ),
});

export const plots = closed('ExperimentPlots', {
  metrics: Type.Array(Type.String(), { description: 'Metrics with scores per row.' }),
  metric: orNull(Type.String()),
  labels: Type.Array(Type.String(), { description: 'Labels for which models have scores.' }),
  label: orNull(Type.String()),
  workflows: Type.Array(workflowPlots),
});

const worker = Type.Object(
  {
    worker: Type.String(),
    first_row: Type.Integer({
      minimum: 1,
      description: 'Number of the first row in the worker’s range, starting at 1.',
    }),
    rows: count('Number of rows in the worker’s range.'),
    done_rows: count(),
    failed_rows: count(),
  },
  { additionalProperties: false },
);

const jobProgress = closed('JobProgress', {
  id: Type.String(),
  type: Type.String(),
  status: Type.String(),
  total_rows: count(),
  done_rows: count(),
  failed_rows: count(),
  queued_reason: orNull(Type.String(), 'Reason why the job is queued.'),
  started_at: timeOrNull('Start time.'),
  ended_at: timeOrNull('End time.'),
  workers: Type.Array(worker, { description: 'Workers that are currently processing rows.' }),
});

export const progress = closed('ExperimentProgress', {
  active: Type.Boolean({ description: 'Whether any workflow is not finished.' }),
  workflows: Type.Array(
    closed('WorkflowProgress', {
      id: Type.String(),
      name: Type.String(),
      status: oneOf(['created', 'running', 'succeeded', 'failed']),
      error: orNull(Type.String()),
      jobs: Type.Array(jobProgress, { description: 'Jobs, oldest first.' }),
    }),
  ),
});
