import { EXECUTABLE_NAME } from '#contract/executable-name.ts';
import { AppError, inputError } from '#contract/errors.ts';
import type { Backend, EvaluationSpec, InferenceSpec, TaskDefinition } from '../work/work.ts';
import { checkCustomMetrics } from '../work/evaluation/custom/check-custom.ts';
import { checkMetrics, defaultMetrics } from '../work/evaluation/metrics.ts';
import { EVALUATED_TASKS } from '../work/tasks/index.ts';
import { CONVERSATION_COLUMNS } from '../work/conversations/conversation.ts';
import { inMember } from './member-errors.ts';
import type { NamedModel, WorkflowRequest } from './workflow.ts';

export type InferenceRequest = Pick<
  WorkflowRequest,
  | 'provider'
  | 'model'
  | 'baseUrl'
  | 'secretName'
  | 'systemPrompt'
  | 'prompt'
  | 'fewShot'
  | 'batchSize'
  | 'maxConcurrency'
  | 'generation'
  | 'outputField'
  | 'maxErrorRate'
>;

/**
 * An inference job's specification. `labels` are the ground truth labels. A dataset with conversations needs no
 * system prompt.
 */
export function inferenceSpec(
  type: InferenceSpec['type'],
  request: InferenceRequest,
  task: TaskDefinition,
  labels: readonly string[],
  columns: readonly string[] = [],
): InferenceSpec {
  const { batchSize, maxConcurrency, generation, outputField, maxErrorRate } = request;
  const backend = inMember('base_url', () => backendOf(request));
  const { prompt, fewShot } = request;
  const defaultPrompt =
    EVALUATED_TASKS[task.task].defaultPrompt(task, labels) ??
    (prompt === undefined && !columns.includes(CONVERSATION_COLUMNS.messages) ? undefined : '');
  const systemPrompt = request.systemPrompt || defaultPrompt;
  if (systemPrompt === undefined) {
    throw new AppError(
      'MalformedError',
      `Default system_prompt not available for ${task.task}. Set system_prompt to the instructions for the model, e.g. "Answer the question in one sentence."`,
      { reason: 'no_default_prompt' },
    );
  }
  return {
    type,
    task,
    backend,
    batchSize,
    maxConcurrency,
    generation,
    systemPrompt,
    prompt,
    fewShot,
    labels,
    outputField,
    maxErrorRate,
  };
}

export interface EvaluationRequest extends Pick<
  WorkflowRequest,
  'metrics' | 'customMetrics' | 'judge' | 'embedder' | 'failures' | 'batchSize' | 'maxErrorRate'
> {
  readonly predictionField: string;
}

export function evaluationSpec(request: EvaluationRequest, definition: TaskDefinition): EvaluationSpec {
  const { judge, embedder, failures, batchSize, maxErrorRate, predictionField } = request;
  const task = EVALUATED_TASKS[definition.task];
  const has = { judge: judge !== null, embedder: embedder !== null };
  const metrics = request.metrics ?? defaultMetrics(task, has);
  inMember('metrics', () => checkMetrics(task, metrics, has));
  const { customMetrics } = request;
  inMember('custom_metrics', () => checkCustomMetrics(task, customMetrics ?? [], has.judge));
  return {
    type: 'evaluation',
    task: definition,
    metrics,
    customMetrics,
    predictionField,
    failures,
    batchSize,
    judge: judge && {
      backend: inMember('llm_as_judge', () => backendOf(judge)),
      generation: judge.generation,
      maxConcurrency: judge.maxConcurrency,
    },
    embedder: embedder && { backend: inMember('embedder', () => backendOf(embedder)) },
    maxErrorRate,
  };
}

/**
 * The backend for a model in a request. With provider `encoder`, it is an `.encoder` executable at a URL, as
 * a file, or configured in this gateway. With any other provider, it is an OpenAI-compatible server if there
 * is a `base_url`, otherwise one of this gateway's models. Throws an InputError.
 */
function backendOf({ provider, model, baseUrl, secretName }: NamedModel): Backend {
  if (provider === 'encoder') {
    if (baseUrl !== null) return { kind: 'encoder-url', baseUrl, secretName };
    return EXECUTABLE_NAME.test(model)
      ? { kind: 'encoder-file', path: model }
      : { kind: 'gateway', model: model.startsWith('encoder:') ? model : `encoder:${model}` };
  }
  if (baseUrl !== null) return { kind: 'openai-compatible', baseUrl, model, secretName };
  if (provider === 'openai-compatible') {
    throw inputError(`Provider ${provider} requires a base_url, e.g. https://models.example/v1.`);
  }
  if (provider === 'hf') {
    throw inputError(
      'The gateway does not run Hugging Face models itself. Build the model as an .encoder file and use provider `encoder`, or serve it and set base_url.',
    );
  }
  if (provider === 'gateway' || model.startsWith(`${provider}:`)) return { kind: 'gateway', model };
  return { kind: 'gateway', model: `${provider}:${model}` };
}
