import { AppError } from '../../../../contract/errors.ts';
import type { EvaluationSpec, InferenceSpec, TaskDefinition } from '../work/work.ts';
import { checkMetrics, defaultMetrics } from '../work/evaluation/metrics.ts';
import { TASKS } from '../work/tasks/index.ts';
import { inMember } from './about-member.ts';
import type { WorkflowRequest } from './workflow.ts';
import { backendOf } from './backend-of.ts';

export type InferenceRequest = Pick<
  WorkflowRequest,
  | 'provider'
  | 'model'
  | 'baseUrl'
  | 'secretName'
  | 'systemPrompt'
  | 'batchSize'
  | 'generation'
  | 'outputField'
  | 'maxErrorRate'
>;

/** `labels` are those of the ground truth. */
export function inferenceSpec(
  type: InferenceSpec['type'],
  request: InferenceRequest,
  task: TaskDefinition,
  labels: readonly string[],
): InferenceSpec {
  const { batchSize, generation, outputField, maxErrorRate } = request;
  const backend = inMember('base_url', () => backendOf(request));
  const systemPrompt = request.systemPrompt || TASKS[task.task].defaultPrompt(task, labels);
  if (systemPrompt === undefined) {
    throw new AppError('MalformedError', `Default system_prompt not available for ${task.task}`, {
      reason: 'no_default_prompt',
    });
  }
  return { type, task, backend, batchSize, generation, systemPrompt, labels, outputField, maxErrorRate };
}

export interface EvaluationRequest extends Pick<
  WorkflowRequest,
  'metrics' | 'judge' | 'embedder' | 'failures' | 'batchSize' | 'maxErrorRate'
> {
  readonly predictionField: string;
}

export function evaluationSpec(request: EvaluationRequest, definition: TaskDefinition): EvaluationSpec {
  const { judge, embedder, failures, batchSize, maxErrorRate, predictionField } = request;
  const task = TASKS[definition.task];
  const has = { judge: judge !== null, embedder: embedder !== null };
  const metrics = request.metrics ?? defaultMetrics(task, has);
  inMember('metrics', () => checkMetrics(task, metrics, has));
  return {
    type: 'evaluation',
    task: definition,
    metrics,
    predictionField,
    failures,
    batchSize,
    judge: judge && {
      backend: inMember('llm_as_judge', () => backendOf(judge)),
      generation: judge.generation,
    },
    embedder: embedder && { backend: inMember('embedder', () => backendOf(embedder)) },
    maxErrorRate,
  };
}
