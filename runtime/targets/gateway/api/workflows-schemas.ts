import { Type } from 'typebox';
import { closed, anyObject, oneOf, orNull } from '#serve/http/schemas.ts';
import type { RowCells } from '../evaluation/datasets/dataset.ts';
import {
  longDescription,
  maybe,
  nonEmptyText,
  count,
  text,
  time,
  timeOrNull,
  pageSchema,
} from './http/fields.ts';
import { tags } from './http/lists.ts';

const MAX_URL_LENGTH = 2000;

const modelName = nonEmptyText('Model name, or the path of an `.encoder` file.', 1000);
const provider = nonEmptyText(
  '`encoder` for a model executable, `gateway` or the name of a provider for models of this gateway, `openai-compatible` for another server.',
  100,
);
const baseUrl = nonEmptyText('Base URL of the model, if this gateway does not serve it.', MAX_URL_LENGTH);
const secretName = nonEmptyText('Name of the secret with the API key for the model.', 100);

const maxConcurrency = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Maximum number of concurrent requests to a language model (default: 8). The model’s rate limits reduce it.',
});

/** Each use needs its own name, because schema names are unique. */
const parameters = (name: string) =>
  closed(
    name,
    {
      max_new_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      frequency_penalty: maybe(Type.Number({ minimum: -2, maximum: 2 })),
      temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
      top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
      reasoning_effort: maybe(nonEmptyText('For example `low`; the values depend on the model.', 50)),
      seed: maybe(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
      stop: maybe(Type.Array(nonEmptyText('A stop sequence.', 1000), { minItems: 1, maxItems: 16 })),
      response_format: maybe(anyObject('Output format, e.g. `{"type": "json_object"}` or a JSON schema.')),
      tools: maybe(
        Type.Array(
          anyObject('A tool that the model can call. The output is then the list of its calls as JSON.'),
          {
            maxItems: 128,
          },
        ),
      ),
      tool_choice: maybe(
        Type.Union([Type.String(), anyObject('A tool that the model must call.')], {
          description: 'Whether the model must call a tool, e.g. `required`.',
        }),
      ),
    },
    'Parameters of a language model. A parameter that is not set is not sent to the model.',
  );
export const generationConfig = parameters('GenerationConfig');

export const judgeSettings = closed(
  'Judge',
  {
    model_name: modelName,
    model_base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
    generation_config: maybe(parameters('JudgeGenerationConfig')),
    max_concurrency: maybe(maxConcurrency),
  },
  'A language model that judges outputs. Without a base URL, one of this gateway’s models.',
);

export const embedder = closed(
  'Embedder',
  {
    model: maybe(nonEmptyText('Path of an `.encoder` file.', 1000)),
    base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
  },
  'An encoder of type embedding, for metrics that compare the meaning of texts.',
);

/** Maximum length of the script or rubric of a metric. */
const MAX_METRIC_LENGTH = 10_000;
const MAX_PROMPT_LENGTH = 100_000;
/** Maximum time limit of a job: one week. */
const MAX_TIMEOUT_SECONDS = 604_800;

const maxErrorRate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Maximum share of failed rows (default: 0).',
});

const exampleRow = Type.Unsafe<RowCells>({
  type: 'object',
  additionalProperties: true,
  description: 'Values by column, with the expected output in `ground_truth`.',
});

/** Members of all bodies that start an inference. */
export const inferenceFields = {
  model: modelName,
  provider,
  secret_key_name: maybe(secretName),
  base_url: maybe(baseUrl),
  system_prompt: maybe(
    text('System prompt for each text. If empty, the task’s default prompt is used.', MAX_PROMPT_LENGTH),
  ),
  prompt: maybe(
    nonEmptyText(
      'Template for a row’s message, with dataset columns such as `{{examples}}`. Default: the row’s text.',
      MAX_PROMPT_LENGTH,
    ),
  ),
  few_shot: maybe(
    Type.Array(exampleRow, {
      maxItems: 100,
      description: 'Example rows with expected outputs, which are sent to the model before each row.',
    }),
  ),
  generation_config: maybe(generationConfig),
  max_error_rate: maybe(maxErrorRate),
  max_concurrency: maybe(maxConcurrency),
};
export const batchSize = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'Number of rows per batch.',
});
export const jobTimeout = Type.Integer({
  minimum: 1,
  maximum: MAX_TIMEOUT_SECONDS,
  description: 'Time limit per job, in seconds.',
});
export const metricList = Type.Array(nonEmptyText('For example `accuracy`.', 100), {
  minItems: 1,
  maxItems: 100,
});

export const customMetrics = Type.Array(
  closed('CustomMetric', {
    name: nonEmptyText('Name of the metric, e.g. `has_number`.', 64),
    regex: maybe(nonEmptyText('Scores 1 if an output contains a match, otherwise 0.', 1000)),
    ignore_case: maybe(Type.Boolean({ description: 'Whether to ignore case (default: false).' })),
    json_schema: maybe(
      anyObject('Scores 1 if an output ends with JSON that is valid against this JSON Schema, otherwise 0.'),
    ),
    lua: maybe(
      nonEmptyText(
        'Lua script with a function `score(answer, row)`, which returns a number or a boolean.',
        MAX_METRIC_LENGTH,
      ),
    ),
    rubric: maybe(
      nonEmptyText(
        'The quality that the judge scores, from 0 to 1. Requires `llm_as_judge`.',
        MAX_METRIC_LENGTH,
      ),
    ),
  }),
  {
    maxItems: 20,
    description:
      'Metrics in addition to `metrics`. Each has exactly one of `regex`, `json_schema`, `lua` and `rubric`.',
  },
);

export const failures = oneOf(['wrong', 'skipped'], {
  description:
    'How metrics count rows for which the model failed: `wrong` counts them as wrong outputs (default), `skipped` excludes them.',
});

export const newWorkflow = closed('NewWorkflow', {
  name: nonEmptyText('Display name.', 255),
  description: maybe(longDescription),
  tags: maybe(tags),
  experiment_id: maybe(text('Experiment ID. Required.')),
  ...inferenceFields,
  prompt_name: maybe(nonEmptyText('Name of the prompt, for tables of prompts and models.', 255)),
  batch_size: maybe(batchSize),
  inference_output_field: maybe(nonEmptyText('Column for the outputs (default: predictions).', 100)),
  config_template: maybe(text('Accepted for compatibility and ignored.', MAX_PROMPT_LENGTH)),
  job_timeout_sec: maybe(jobTimeout),
  metrics: maybe(metricList),
  custom_metrics: maybe(customMetrics),
  llm_as_judge: maybe(judgeSettings),
  embedder: maybe(embedder),
  failures: maybe(failures),
  repeat: maybe(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Repetition number (default: 1). Repetitions do not share responses.',
    }),
  ),
  answer_cache: maybe(
    Type.Boolean({
      description:
        'Whether to reuse a language model’s earlier responses in this experiment (default: true).',
    }),
  ),
});

export const workflowChanges = closed('WorkflowChanges', {
  name: Type.Optional(nonEmptyText('New display name.', 255)),
  description: Type.Optional(longDescription),
  tags: Type.Optional(tags),
});

/** Accepts all members, because unknown ones get an error with an explanation. */
export const retryRequest = Type.Object(
  {
    batch_size: maybe(batchSize),
    max_concurrency: maybe(maxConcurrency),
    max_error_rate: maybe(maxErrorRate),
    job_timeout_sec: maybe(jobTimeout),
    secret_key_name: maybe(secretName),
  },
  {
    $id: 'Retry',
    description: 'Settings to change. Others cannot be changed, because existing responses are kept.',
  },
);

const status = oneOf(['created', 'running', 'succeeded', 'failed']);
const summary = {
  id: Type.String(),
  workflow_id: Type.String({ description: 'Same as `id`, for Lumigator clients.' }),
  experiment_id: Type.String(),
  model: Type.String(),
  name: Type.String(),
  description: Type.String(),
  system_prompt: Type.String(),
  tags,
  status,
  created_at: time('Creation time.'),
  updated_at: timeOrNull('Time at which the workflow finished, or was last retried or changed.'),
};

export const workflow = closed('Workflow', summary);

const named = closed('NamedValue', { name: Type.String(), value: Type.Unknown() });

export const queuedReason = orNull(
  Type.String(),
  'Reason why the job is waiting or paused, e.g. because its cluster cannot be reached; null if it only waits for a free slot.',
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
  ...summary,
  provider: Type.String(),
  error: orNull(Type.String(), 'Reason for the failure.'),
  jobs: orNull(Type.Array(job), 'Jobs, newest first.'),
  metrics: orNull(
    Type.Unsafe<Readonly<Record<string, number>>>({
      type: 'object',
      additionalProperties: { type: 'number' },
    }),
    'Metrics of all jobs.',
  ),
  parameters: orNull(anyObject('Settings of the workflow’s jobs.')),
  artifacts_download_url: orNull(
    Type.String({ format: 'uri' }),
    'Signed URL of the results, once the workflow has succeeded. It requires no credentials and is valid for one hour.',
  ),
});

export const workflowList = pageSchema('Workflows', workflowDetails);

export const logs = closed('Logs', { logs: Type.String({ description: 'Lines of the log.' }) });
export const resultUrl = Type.String({
  format: 'uri',
  description: 'Signed URL. It requires no credentials and is valid for one hour.',
});
