import type { Static } from 'typebox';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { DEFAULT_CONCURRENCY, type GenerationConfig } from '../../evaluation/work/work.ts';
import type { NamedJudge, NamedModel, WorkflowRequest } from '../../evaluation/workflows/workflow.ts';
import type { embedder, generationConfig, judge } from './named-models.ts';
import type { customMetrics, newWorkflow } from './schemas.ts';

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
