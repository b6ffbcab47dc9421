import { type Static, Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { DEFAULT_CONCURRENCY, type GenerationConfig } from '../evaluation/work/work.ts';
import { inMember } from '../evaluation/workflows/member-errors.ts';
import type { RetryChanges } from '../evaluation/workflows/retry-changes.ts';
import type { NamedJudge, NamedModel, WorkflowRequest } from '../evaluation/workflows/workflow.ts';
import { maybe, nonEmptyText } from './http/fields.ts';
import { type customMetrics, type newWorkflow, retryRequest } from './workflows-schemas.ts';

/** Converts a request, with the defaults of the reference implementation. */
export const workflowIn = (body: Static<typeof newWorkflow>): WorkflowRequest => ({
  name: body.name,
  description: body.description ?? '',
  tags: body.tags ?? [],
  ...modelIn(body),
  systemPrompt: body.system_prompt ?? '',
  prompt: body.prompt ?? undefined,
  fewShot: body.few_shot ?? undefined,
  batchSize: body.batch_size ?? 1,
  maxConcurrency: body.max_concurrency ?? DEFAULT_CONCURRENCY,
  outputField: body.inference_output_field ?? 'predictions',
  generation: generationIn(body.generation_config),
  timeoutSec: body.job_timeout_sec ?? 3600,
  metrics: body.metrics ?? null,
  customMetrics: customMetricsIn(body.custom_metrics),
  judge: body.llm_as_judge ? judgeIn(body.llm_as_judge) : null,
  embedder: body.embedder ? embedderIn(body.embedder) : null,
  failures: body.failures ?? 'wrong',
  sharesAnswers: body.answer_cache ?? true,
  repeat: body.repeat ?? undefined,
  maxErrorRate: body.max_error_rate ?? 0,
});

export const customMetricsIn = (
  given: Static<typeof customMetrics> | null | undefined,
): WorkflowRequest['customMetrics'] =>
  given?.map(({ name, regex, ignore_case: ignoreCase, json_schema: jsonSchema, lua, rubric }) => ({
    name,
    ...omitUndefined({
      regex: regex ?? undefined,
      ignoreCase: ignoreCase ?? undefined,
      jsonSchema: jsonSchema ?? undefined,
      lua: lua ?? undefined,
      rubric: rubric ?? undefined,
    }),
  }));

type ModelFields = Pick<Static<typeof newWorkflow>, 'provider' | 'model' | 'base_url' | 'secret_key_name'>;

export const modelIn = (body: ModelFields): NamedModel => ({
  provider: body.provider,
  model: body.model,
  baseUrl: body.base_url ?? null,
  secretName: body.secret_key_name ?? null,
});

export const judgeIn = (body: Static<typeof judge>): NamedJudge => ({
  provider: body.model_base_url ? 'openai-compatible' : 'gateway',
  model: body.model_name,
  baseUrl: body.model_base_url ?? null,
  secretName: body.secret_key_name ?? null,
  generation: generationIn(body.generation_config),
  maxConcurrency: body.max_concurrency ?? DEFAULT_CONCURRENCY,
});

export const embedderIn = (body: Static<typeof embedder>): NamedModel => ({
  provider: 'encoder',
  model: body.model ?? '',
  baseUrl: body.base_url ?? null,
  secretName: body.secret_key_name ?? null,
});

export const generationIn = (body: Static<typeof generationConfig> | null | undefined): GenerationConfig =>
  omitUndefined({
    maxNewTokens: body?.max_new_tokens ?? undefined,
    frequencyPenalty: body?.frequency_penalty ?? undefined,
    temperature: body?.temperature ?? undefined,
    topP: body?.top_p ?? undefined,
    reasoningEffort: body?.reasoning_effort ?? undefined,
    seed: body?.seed ?? undefined,
    stop: body?.stop ?? undefined,
    responseFormat: body?.response_format ?? undefined,
    tools: body?.tools ?? undefined,
    toolChoice: body?.tool_choice ?? undefined,
  });

const MAX_URL_LENGTH = 2000;

export const modelName = nonEmptyText('Model name, or the path of an `.encoder` file.', 1000);
export const provider = nonEmptyText(
  '`encoder` for a model executable, `gateway` or the name of a provider for models of this gateway, `openai-compatible` for another server.',
  100,
);
export const baseUrl = nonEmptyText(
  'Base URL of the model, if it is not behind this gateway.',
  MAX_URL_LENGTH,
);
export const secretName = nonEmptyText('Name of the secret with the API key for the model.', 100);

export const maxConcurrency = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Maximum concurrent requests to a language model (default: 8). Rate limits of the model reduce it.',
});

/** Each use needs its own name, because names of schemas are unique. */
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
      stop: maybe(
        Type.Array(nonEmptyText('A text at which the model stops.', 1000), { minItems: 1, maxItems: 16 }),
      ),
      response_format: maybe(
        anyObject('Format of the answer, e.g. `{"type": "json_object"}` or a JSON schema.'),
      ),
      tools: maybe(
        Type.Array(
          anyObject('A tool that the model can call. The answer is then the list of its calls as JSON.'),
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

export const judge = closed(
  'Judge',
  {
    model_name: modelName,
    model_base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
    generation_config: maybe(parameters('JudgeGenerationConfig')),
    max_concurrency: maybe(maxConcurrency),
  },
  'A language model that judges answers. Without a base URL, a model of this gateway.',
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

/** Throws an InputError for members that a retry cannot change. */
export function retryIn(body: Static<typeof retryRequest>): RetryChanges {
  const changeable = Object.keys(retryRequest.properties);
  for (const name of Object.keys(body)) {
    if (changeable.includes(name)) continue;
    const shown = JSON.stringify(name.slice(0, 100));
    inMember(name, () => {
      throw inputError(
        `A retry cannot change ${shown}, because answered rows keep their answers. Change only ${changeable.join(', ')}, or create a new workflow or job.`,
      );
    });
  }
  return {
    batchSize: body.batch_size ?? undefined,
    maxConcurrency: body.max_concurrency ?? undefined,
    maxErrorRate: body.max_error_rate ?? undefined,
    timeoutSec: body.job_timeout_sec ?? undefined,
    secretName: body.secret_key_name ?? undefined,
  };
}
