import { Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { count, someText, text, time, timeOrNull } from '../http/fields.ts';
import {
  baseUrl,
  embedder,
  generationConfig,
  judge,
  modelName,
  provider,
  secretName,
} from './named-models.ts';
import { pageSchema } from '../http/page-schemas.ts';

const LONGEST_TEXT = 10_000;
const LONGEST_PROMPT = 100_000;
/** A week. */
const LONGEST_TIMEOUT = 604_800;

const maxErrorRate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'The share of rows that may fail; 0 unless said otherwise.',
});

/** Of inference, wherever it is asked for. */
export const inferenceFields = {
  model: modelName,
  provider,
  secret_key_name: maybe(secretName),
  base_url: maybe(baseUrl),
  system_prompt: maybe(
    text('What models are told before each text; what the task says if it is empty.', LONGEST_PROMPT),
  ),
  generation_config: maybe(generationConfig),
  max_error_rate: maybe(maxErrorRate),
};
export const batchSize = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'Rows that are asked about together.',
});
export const jobTimeout = Type.Integer({
  minimum: 1,
  maximum: LONGEST_TIMEOUT,
  description: 'Seconds that each job may take.',
});
export const metricList = Type.Array(someText('As `accuracy`.', 100), { minItems: 1, maxItems: 100 });

export const failures = oneOf(['wrong', 'skipped'], {
  description:
    'How a row counts for which the model failed: `wrong` as a wrong answer in the metrics (the default), `skipped` not at all.',
});

export const newWorkflow = closed('NewWorkflow', {
  name: someText('For people.', 255),
  description: maybe(text('What it is about.', LONGEST_TEXT)),
  experiment_id: maybe(text('The experiment that it belongs to; it cannot do without one.')),
  ...inferenceFields,
  batch_size: maybe(batchSize),
  inference_output_field: maybe(someText('The column that answers are written to.', 100)),
  config_template: maybe(text('Taken for compatibility; it changes nothing.', LONGEST_PROMPT)),
  job_timeout_sec: maybe(jobTimeout),
  metrics: maybe(metricList),
  llm_as_judge: maybe(judge),
  embedder: maybe(embedder),
  failures: maybe(failures),
});

/** Any member, as a wrong one gets a sentence of its own. */
export const retryRequest = Type.Object(
  {
    batch_size: maybe(batchSize),
    max_error_rate: maybe(maxErrorRate),
    job_timeout_sec: maybe(jobTimeout),
    secret_key_name: maybe(secretName),
  },
  {
    $id: 'Retry',
    description: 'Settings to change. Others cannot change: rows that have an answer keep it.',
  },
);

const status = oneOf(['created', 'running', 'succeeded', 'failed']);
const shown = {
  id: Type.String(),
  experiment_id: Type.String(),
  model: Type.String(),
  name: Type.String(),
  description: Type.String(),
  system_prompt: Type.String(),
  status,
  created_at: time('When it was made.'),
  updated_at: timeOrNull('When it ended, or was begun again.'),
};

export const workflow = closed('Workflow', shown);

const named = closed('NamedValue', { name: Type.String(), value: Type.Unknown() });

export const queuedReason = orNull(
  Type.String(),
  'Why the job waits, if it is not for a free slot, e.g. that its cluster cannot be reached.',
);

const job = closed('WorkflowJob', {
  id: Type.String(),
  type: oneOf(['inference', 'annotate', 'evaluation']),
  status: oneOf(['created', 'pending', 'running', 'succeeded', 'failed', 'stopped']),
  total_rows: count(),
  done_rows: count(),
  failed_rows: count(),
  error: orNull(Type.String()),
  queued_reason: queuedReason,
  metrics: Type.Array(named),
  parameters: Type.Array(named),
  metric_url: Type.String(),
  artifact_url: Type.String(),
});

export const workflowDetails = closed('WorkflowDetails', {
  ...shown,
  provider: Type.String(),
  error: orNull(Type.String(), 'Why it failed.'),
  jobs: orNull(Type.Array(job), 'The newest first.'),
  metrics: orNull(
    Type.Unsafe<Readonly<Record<string, number>>>({
      type: 'object',
      additionalProperties: { type: 'number' },
    }),
    'Of all its jobs.',
  ),
  parameters: orNull(anyObject('What its jobs were done with.')),
  artifacts_download_url: orNull(
    Type.String({ format: 'uri' }),
    'Where its results are, once it has succeeded. Needs no credential, and works for an hour.',
  ),
});

export const workflows = pageSchema('Workflows', workflowDetails);

export const logs = closed('Logs', { logs: Type.String({ description: 'One line after the other.' }) });
export const resultUrl = Type.String({
  format: 'uri',
  description: 'Needs no credential, and works for an hour.',
});
