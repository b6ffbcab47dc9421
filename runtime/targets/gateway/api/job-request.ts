import { DEFAULT_CONCURRENCY } from '../evaluation/work/work.ts';
import type { NewEvaluationJob, NewInferenceJob } from '../evaluation/workflows/single-jobs.ts';
import type { AssertModelAllowed } from '../evaluation/workflows/workflow.ts';
import type { Owner, Viewer } from '../shared/owner.ts';
import type { NewAnnotationJobBody, NewEvaluationJobBody, NewInferenceJobBody } from './jobs-schemas.ts';
import {
  maxSamplesIn,
  taskIn,
  customMetricsIn,
  embedderIn,
  generationIn,
  judgeIn,
  modelIn,
} from './workflow-request.ts';

/** Who creates a job, and which models it can use. */
export interface JobCaller {
  readonly viewer: Viewer;
  readonly owner: Owner | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly assertModelAllowed: AssertModelAllowed;
}

export const inferenceJobIn = (
  body: NewInferenceJobBody | NewAnnotationJobBody,
  caller: JobCaller,
): NewInferenceJob => {
  const { job_config: config } = body;
  const outputField =
    config.job_type === 'annotate' ? 'ground_truth' : (config.output_field ?? 'predictions');
  return {
    ...caller,
    ...sharedIn(body),
    type: config.job_type,
    task: taskIn(config.task_definition ?? { task: 'summarization' }),
    request: {
      ...modelIn(config),
      systemPrompt: config.system_prompt ?? '',
      prompt: config.prompt ?? undefined,
      fewShot: config.few_shot ?? undefined,
      batchSize: body.batch_size ?? 1,
      maxConcurrency: config.max_concurrency ?? DEFAULT_CONCURRENCY,
      generation: generationIn(config.generation_config),
      maxErrorRate: config.max_error_rate ?? 0,
      outputField,
    },
  };
};

export const evaluationJobIn = (body: NewEvaluationJobBody, caller: JobCaller): NewEvaluationJob => {
  const { job_config: config } = body;
  return {
    ...caller,
    ...sharedIn(body),
    task: taskIn(config.task_definition ?? { task: 'summarization' }),
    request: {
      metrics: config.metrics ?? null,
      customMetrics: customMetricsIn(config.custom_metrics),
      judge: config.llm_as_judge ? judgeIn(config.llm_as_judge) : null,
      embedder: config.embedder ? embedderIn(config.embedder) : null,
      failures: config.failures ?? 'wrong',
      batchSize: body.batch_size ?? 1,
      maxErrorRate: config.max_error_rate ?? 0,
      predictionField: config.prediction_field ?? 'predictions',
    },
  };
};

type Shared = Omit<NewInferenceJobBody, 'job_config'>;

const sharedIn = (body: Shared) => ({
  name: body.name,
  description: body.description ?? '',
  datasetId: body.dataset,
  maxSamples: maxSamplesIn(body.max_samples),
  timeoutSec: body.job_timeout_sec ?? 3600,
});
