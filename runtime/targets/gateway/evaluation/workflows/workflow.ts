import type { Kysely } from 'kysely';
import type { RowCells } from '../datasets/dataset.ts';
import type { Experiment, ExperimentWorkflows, LabelChanges } from '../experiments/experiment.ts';
import type { ListPage } from '../../store/page.ts';
import type { Job } from '../jobs/job.ts';
import type { Schema } from '../../store/schema.ts';
import type { Search } from '../../store/search.ts';
import type { CustomMetric } from '../work/evaluation/custom/custom-metric.ts';
import type { EvaluationSpec, Failures, GenerationConfig, InferenceSpec } from '../work/work.ts';
import type { RetryChanges } from './retry-changes.ts';
import type { RetryCaller } from './retry-payer.ts';
import type { WorkflowStatus } from '../../store/workflow-schema.ts';
import type { Owner, Viewer } from '../../shared/owner.ts';

/** A model in a request. */
export interface NamedModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly secretName: string | null;
}

/** A language model in a request that scores outputs. */
export interface NamedJudge extends NamedModel {
  readonly generation: GenerationConfig;
  readonly maxConcurrency: number;
}

/** Settings for a workflow, which evaluates one of an experiment's models. */
export interface WorkflowRequest extends NamedModel {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** If empty, the task's default applies. */
  readonly systemPrompt: string;
  /** Template for a row's message; undefined for the row's text. */
  readonly prompt: string | undefined;
  /** Example rows with outputs that the model gets before each row. */
  readonly fewShot: readonly RowCells[] | undefined;
  /** The prompt's name in tables of prompts and models. */
  readonly promptName: string | undefined;
  readonly batchSize: number;
  /** Maximum number of concurrent requests to a language model. */
  readonly maxConcurrency: number;
  readonly outputField: string;
  readonly generation: GenerationConfig;
  /** Time limit per job. */
  readonly timeoutSec: number;
  /** Null for the task's default metrics. */
  readonly metrics: readonly string[] | null;
  readonly customMetrics: readonly CustomMetric[] | undefined;
  readonly judge: NamedJudge | null;
  readonly embedder: NamedModel | null;
  readonly failures: Failures;
  /** Whether language model responses are shared within the experiment. */
  readonly sharesAnswers: boolean;
  /** Repetition number. Repetitions do not share responses. Undefined for the first. */
  readonly repeat: number | undefined;
  readonly maxErrorRate: number;
}

/** The complete settings for a workflow's jobs. They are stored, so that the workflow can be retried. */
export interface WorkflowPlan {
  readonly model: string;
  readonly provider: string;
  readonly systemPrompt: string;
  /** The prompt's name in tables of prompts and models. */
  readonly promptName?: string | undefined;
  readonly timeoutSec: number;
  readonly rows: number;
  /** Name of the dataset with the outputs. */
  readonly outputName: string;
  readonly inference: InferenceSpec;
  readonly evaluation: EvaluationSpec;
}

export interface Workflow {
  readonly id: string;
  readonly experimentId: string;
  readonly name: string;
  readonly description: string;
  readonly plan: WorkflowPlan;
  readonly status: WorkflowStatus;
  readonly error: string | null;
  /** All jobs' metrics, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly owner: Owner | null;
  readonly tags: readonly string[];
  /** The team of the key that created the workflow. It is billed in addition to the owner. */
  readonly teamId: string | null;
  /** The key that started the workflow; null for the master key. */
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

export interface WorkflowDetails extends Workflow {
  /** The workflow's jobs, newest first. */
  readonly jobs: readonly Job[];
}

/** Throws a ForbiddenError if the caller is not allowed to use this gateway model. */
export type AssertModelAllowed = (model: string) => void;

export interface NewWorkflow {
  readonly experiment: Experiment;
  readonly request: WorkflowRequest;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly assertModelAllowed: AssertModelAllowed;
}

interface WorkflowFilter extends Search {
  readonly experimentId?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
}

export interface Workflows extends ExperimentWorkflows {
  /**
   * Creates a workflow. Throws an InputError for an invalid request, including problems that only a model
   * call can reveal.
   */
  create(workflow: NewWorkflow): Promise<Workflow>;
  /** Reads a workflow with its jobs. Throws a NotFoundError if it does not exist or is not visible. */
  get(viewer: Viewer, id: string): Promise<WorkflowDetails>;
  /** Workflows, newest first. */
  list(
    viewer: Viewer,
    filter: WorkflowFilter,
    page: ListPage,
  ): Promise<{ readonly total: number; readonly items: readonly WorkflowDetails[] }>;
  /** All of these experiments' workflows, oldest first. */
  ofExperiments(ids: readonly string[]): Promise<readonly WorkflowDetails[]>;
  /** Changes a workflow's name, description or tags. */
  change(viewer: Viewer, id: string, changes: LabelChanges): Promise<WorkflowDetails>;
  /** Cancels the running jobs. Throws a ConflictError if the workflow has ended. */
  cancel(viewer: Viewer, id: string): Promise<WorkflowDetails>;
  /**
   * Retries a workflow that failed or has failed rows. Rows with a response keep it. Throws a ConflictError
   * if nothing failed.
   */
  retry(caller: RetryCaller, id: string, changes: RetryChanges): Promise<WorkflowDetails>;
  /** Deletes a workflow. Without `force`, it must have ended and no experiment may use its outputs. */
  delete(viewer: Viewer, id: string, force: boolean): Promise<Workflow>;
  /** Called in the transaction that ends a job. Continues or ends the job's workflow. */
  ended(trx: Kysely<Schema>, job: Job): Promise<void>;
}

/** The name of a dataset with a model's outputs, for example `reviews-openai-small-predictions.csv`. */
export const predictionsName = (filename: string, model: string): string =>
  `${filename.replace(/\.[^.]*$/, '')}-${model.replaceAll('/', '-')}-predictions.csv`;
