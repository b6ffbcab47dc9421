import { type Static, Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { taskDefinition } from './experiments-schemas.ts';
import { longDescription, maybe, count, nonEmptyText, time, timeOrNull, pageSchema } from './http/fields.ts';
import {
  embedder,
  judgeSettings,
  batchSize,
  customMetrics,
  failures,
  inferenceFields,
  jobTimeout,
  metricList,
  queuedReason,
} from './workflows-schemas.ts';

const shared = {
  name: nonEmptyText('Display name.', 255),
  description: maybe(longDescription),
  dataset: nonEmptyText('Dataset id.'),
  max_samples: maybe(Type.Integer({ minimum: -1 })),
  batch_size: maybe(batchSize),
  job_timeout_sec: maybe(jobTimeout),
};

/** Lumigator's settings for models that it runs itself. Its clients always send them. */
const ignored = maybe(
  Type.Union([Type.String(), Type.Boolean()], { description: 'Accepted for compatibility and ignored.' }),
);

const inferenceConfig = {
  ...inferenceFields,
  task_definition: maybe(taskDefinition),
  accelerator: ignored,
  revision: ignored,
  use_fast: ignored,
  trust_remote_code: ignored,
  torch_dtype: ignored,
  store_to_dataset: ignored,
};

export const newInferenceJob = closed('NewInferenceJob', {
  ...shared,
  job_config: closed('InferenceConfig', {
    job_type: Type.Literal('inference'),
    ...inferenceConfig,
    output_field: maybe(nonEmptyText('Column for the outputs (default: predictions).', 100)),
  }),
});

export const newAnnotationJob = closed('NewAnnotationJob', {
  ...shared,
  job_config: closed('AnnotationConfig', {
    job_type: Type.Literal('annotate'),
    ...inferenceConfig,
    output_field: maybe(Type.Literal('ground_truth')),
  }),
});

export const newEvaluationJob = closed('NewEvaluationJob', {
  ...shared,
  job_config: closed('EvaluationConfig', {
    job_type: Type.Literal('evaluator'),
    task_definition: maybe(taskDefinition),
    metrics: maybe(metricList),
    custom_metrics: maybe(customMetrics),
    prediction_field: maybe(nonEmptyText('Column with the outputs (default: predictions).', 100)),
    llm_as_judge: maybe(judgeSettings),
    embedder: maybe(embedder),
    failures: maybe(failures),
    max_error_rate: inferenceFields.max_error_rate,
    secret_key_name: ignored,
  }),
});

export type NewInferenceJobBody = Static<typeof newInferenceJob>;
export type NewAnnotationJobBody = Static<typeof newAnnotationJob>;
export type NewEvaluationJobBody = Static<typeof newEvaluationJob>;

const JOB_TYPE_NAMES = ['inference', 'annotate', 'evaluator'] as const;

export const job = closed('Job', {
  id: Type.String(),
  job_id: Type.String({ description: 'Same as `id`, for Lumigator clients.' }),
  name: Type.String(),
  description: Type.String(),
  type: oneOf(JOB_TYPE_NAMES),
  job_type: oneOf(JOB_TYPE_NAMES, { description: 'Same as `type`, for Lumigator clients.' }),
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
    description: 'Number of workers that share the rows; 0 before the job starts.',
  }),
  created_at: time('Creation time.'),
  start_time: timeOrNull('Start time.'),
  end_time: timeOrNull('End time.'),
});

export const jobList = pageSchema('Jobs', job);

/** A job's status in the Ray API's format. */
export const rayJob = closed('RayJob', {
  submission_id: Type.String(),
  type: Type.Literal('SUBMISSION'),
  status: oneOf(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: orNull(Type.String(), 'Reason for a failure.'),
});

export const jobResult = closed('JobResult', {
  id: Type.String(),
  metrics: anyObject('Metrics by name.'),
  parameters: Type.Unknown({ description: 'Settings of the job.' }),
  details: Type.Unknown({ description: 'Tables and other results that are not single numbers.' }),
});

export const jobDownload = closed('JobDownload', {
  id: Type.String(),
  download_url: Type.String({
    format: 'uri',
    description: 'Signed URL. It requires no credentials and is valid for one hour.',
  }),
});
