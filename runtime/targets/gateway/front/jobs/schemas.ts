import { type Static, Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';
import { taskDefinition } from '../experiments/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { count, nonEmptyText, text, time, timeOrNull } from '../http/fields.ts';
import { embedder, judge } from '../workflows/named-models.ts';
import { pageSchema } from '../http/page-schemas.ts';
import {
  batchSize,
  customMetrics,
  failures,
  inferenceFields,
  jobTimeout,
  metricList,
  queuedReason,
} from '../workflows/schemas.ts';

const shared = {
  name: nonEmptyText('Display name.', 255),
  description: maybe(text('Description.', 10_000)),
  dataset: nonEmptyText('Dataset id.'),
  max_samples: maybe(Type.Integer({ minimum: -1 })),
  batch_size: maybe(batchSize),
  job_timeout_sec: maybe(jobTimeout),
};

const inferenceConfig = {
  ...inferenceFields,
  task_definition: maybe(taskDefinition),
};

export const newInferenceJob = closed('NewInferenceJob', {
  ...shared,
  job_config: closed('InferenceConfig', {
    job_type: Type.Literal('inference'),
    ...inferenceConfig,
    output_field: maybe(nonEmptyText('Column for the answers (default: predictions).', 100)),
  }),
});

export const newAnnotationJob = closed('NewAnnotationJob', {
  ...shared,
  job_config: closed('AnnotationConfig', { job_type: Type.Literal('annotate'), ...inferenceConfig }),
});

export const newEvaluationJob = closed('NewEvaluationJob', {
  ...shared,
  job_config: closed('EvaluationConfig', {
    job_type: Type.Literal('evaluator'),
    task_definition: maybe(taskDefinition),
    metrics: maybe(metricList),
    custom_metrics: maybe(customMetrics),
    prediction_field: maybe(nonEmptyText('Column with the answers (default: predictions).', 100)),
    llm_as_judge: maybe(judge),
    embedder: maybe(embedder),
    failures: maybe(failures),
    max_error_rate: inferenceFields.max_error_rate,
  }),
});

export type NewInferenceJobBody = Static<typeof newInferenceJob>;
export type NewAnnotationJobBody = Static<typeof newAnnotationJob>;
export type NewEvaluationJobBody = Static<typeof newEvaluationJob>;

export const job = closed('Job', {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: oneOf(['inference', 'annotate', 'evaluator']),
  status: oneOf(['created', 'pending', 'running', 'succeeded', 'failed', 'stopped']),
  dataset: Type.String(),
  workflow_id: orNull(Type.String()),
  total_rows: count(),
  done_rows: count(),
  failed_rows: count('Number of failed rows.'),
  prompt_tokens: count(),
  completion_tokens: count(),
  error: orNull(Type.String()),
  queued_reason: queuedReason,
  workers: Type.Integer({
    minimum: 0,
    description: 'Number of workers that the rows are divided among; 0 before the job starts.',
  }),
  created_at: time('Creation time.'),
  start_time: timeOrNull('Start time.'),
  end_time: timeOrNull('End time.'),
});

export const jobs = pageSchema('Jobs', job);

export const jobResult = closed('JobResult', {
  id: Type.String(),
  metrics: anyObject('Metrics by name.'),
  parameters: Type.Unknown({ description: 'Settings of the job.' }),
  details: Type.Unknown({ description: 'Tables, and other results that are not single numbers.' }),
});

export const jobDownload = closed('JobDownload', {
  id: Type.String(),
  download_url: Type.String({
    format: 'uri',
    description: 'Signed URL. It needs no credential and is valid for one hour.',
  }),
});
