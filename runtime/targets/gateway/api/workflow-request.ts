import type { Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type TaskDefinition, DEFAULT_CONCURRENCY, type GenerationConfig } from '../evaluation/work/work.ts';
import { inMember } from '../evaluation/workflows/member-errors.ts';
import type { RetryChanges } from '../evaluation/workflows/retry-changes.ts';
import type { NamedJudge, NamedModel, WorkflowRequest } from '../evaluation/workflows/workflow.ts';
import type { TaskBody } from './experiments-schemas.ts';
import {
  type embedder,
  type generationConfig,
  type judgeSettings,
  type customMetrics,
  type newWorkflow,
  retryRequest,
} from './workflows-schemas.ts';

/** Converts a request, applying the reference implementation's defaults. */
export const workflowIn = (body: Static<typeof newWorkflow>): WorkflowRequest => ({
  name: body.name,
  description: body.description ?? '',
  tags: body.tags ?? [],
  ...modelIn(body),
  systemPrompt: body.system_prompt ?? '',
  prompt: body.prompt ?? undefined,
  fewShot: body.few_shot ?? undefined,
  promptName: body.prompt_name ?? undefined,
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

export const judgeIn = (body: Static<typeof judgeSettings>): NamedJudge => ({
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

/** Throws an InputError for members that a retry cannot change. */
export function retryIn(body: Static<typeof retryRequest>): RetryChanges {
  const changeable = Object.keys(retryRequest.properties);
  for (const name of Object.keys(body)) {
    if (changeable.includes(name)) continue;
    const shown = JSON.stringify(name.slice(0, 100));
    inMember(name, () => {
      throw inputError(
        `A retry cannot change ${shown}, because existing responses are kept. Change only ${changeable.join(', ')}, or create a new workflow or job.`,
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

/** Returns the number of rows to use, -1 for all. Throws an InputError for 0. */
export function maxSamplesIn(maxSamples: number | null | undefined): number {
  if (maxSamples !== 0) return maxSamples ?? -1;
  const message = 'max_samples must be -1 for all rows, or at least 1, not 0';
  throw inputError(message);
}

/** Converts an experiment's task. */
export const taskIn = (body: TaskBody): TaskDefinition =>
  body.task === 'translation'
    ? { task: body.task, sourceLanguage: body.source_language, targetLanguage: body.target_language }
    : { task: body.task };
