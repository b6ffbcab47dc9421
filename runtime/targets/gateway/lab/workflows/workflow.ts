import type { Kysely } from 'kysely';
import type { Viewer } from '../datasets/dataset.ts';
import type { Experiment, ExperimentWorkflows } from '../experiments/experiment.ts';
import type { Page } from '../../store/page.ts';
import type { Job } from '../jobs/job.ts';
import type { Schema } from '../../store/schema.ts';
import type { EvaluationSpec, Failures, GenerationConfig, InferenceSpec } from '../work/work.ts';
import type { RetryChanges } from './retry-changes.ts';

export type WorkflowStatus = 'created' | 'running' | 'succeeded' | 'failed';

/** A model as a request names it. */
export interface NamedModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string | null;
  readonly secretName: string | null;
}

/** A language model that scores answers, as a request names it. */
export interface NamedJudge extends NamedModel {
  readonly generation: GenerationConfig;
}

/** What is asked of one model of an experiment. */
export interface WorkflowRequest extends NamedModel {
  readonly name: string;
  readonly description: string;
  /** Empty for what the task says. */
  readonly systemPrompt: string;
  readonly batchSize: number;
  readonly outputField: string;
  readonly generation: GenerationConfig;
  /** Of each job. */
  readonly timeoutSec: number;
  /** Null for what the task says. */
  readonly metrics: readonly string[] | null;
  readonly judge: NamedJudge | null;
  readonly embedder: NamedModel | null;
  readonly failures: Failures;
  readonly maxErrorRate: number;
}

/** All that its jobs do; kept, so that it can be done again. */
export interface WorkflowPlan {
  readonly model: string;
  readonly provider: string;
  readonly systemPrompt: string;
  readonly timeoutSec: number;
  readonly rows: number;
  /** Of what the model answers. */
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
  /** Of all its jobs, by name. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly owner: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

export interface WorkflowDetails extends Workflow {
  /** Newest first. */
  readonly jobs: readonly Job[];
}

/** Throws a ForbiddenError if the caller may not use this model of the gateway. */
export type MayUse = (model: string) => void;

export interface NewWorkflow {
  readonly experiment: Experiment;
  readonly request: WorkflowRequest;
  readonly mayUse: MayUse;
}

interface WorkflowFilter {
  readonly experimentId?: string | undefined;
  readonly status?: WorkflowStatus | undefined;
}

export interface Workflows extends ExperimentWorkflows {
  /** Throws what is wrong with it, also what can only be seen by asking the model. */
  create(workflow: NewWorkflow): Promise<Workflow>;
  /** Throws a NotFoundError. */
  get(viewer: Viewer, id: string): Promise<WorkflowDetails>;
  /** Newest first. */
  list(
    viewer: Viewer,
    filter: WorkflowFilter,
    page: Page,
  ): Promise<{ readonly total: number; readonly items: readonly WorkflowDetails[] }>;
  /** All of these experiments, the oldest first. */
  ofExperiments(ids: readonly string[]): Promise<readonly WorkflowDetails[]>;
  /** Stops what runs. Throws a ConflictError if it is over. */
  cancel(viewer: Viewer, id: string): Promise<WorkflowDetails>;
  /** Goes on where it failed or has failed rows: rows with an answer keep it. Throws a ConflictError if nothing has failed. */
  retry(viewer: Viewer, id: string, changes: RetryChanges): Promise<WorkflowDetails>;
  /** Without force only what is over, and what nobody uses. */
  delete(viewer: Viewer, id: string, force: boolean): Promise<Workflow>;
  /** In the transaction that ends a job: what follows from it. */
  ended(trx: Kysely<Schema>, job: Job): Promise<void>;
}
