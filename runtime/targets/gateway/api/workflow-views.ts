import type { Context } from 'hono';
import { membersOf } from '#core/json/members-of.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Artifacts } from '../evaluation/artifacts.ts';
import type { Job } from '../evaluation/jobs/job.ts';
import { parametersOf } from '../evaluation/workflows/compiled-results.ts';
import type { Workflow, WorkflowDetails } from '../evaluation/workflows/workflow.ts';
import type { AbsoluteUrl } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';

export const workflowView = (workflow: Workflow) => ({
  id: workflow.id,
  workflow_id: workflow.id,
  experiment_id: workflow.experimentId,
  model: workflow.plan.model,
  name: workflow.name,
  description: workflow.description,
  system_prompt: workflow.plan.systemPrompt,
  tags: workflow.tags,
  status: workflow.status,
  created_at: rfc3339(workflow.createdAt),
  updated_at: rfc3339OrNull(workflow.updatedAt),
});

/** `address` is the URL of the results; null if there are no results. */
export const workflowDetailsView = (workflow: WorkflowDetails, address: string | null) => ({
  ...workflowView(workflow),
  provider: workflow.plan.provider,
  error: workflow.error,
  jobs: workflow.jobs.map(jobView),
  metrics: workflow.metrics,
  parameters: parametersOf(workflow.jobs.filter(({ result }) => result !== null).toReversed()),
  artifacts_download_url: address,
});

/** A deleted workflow, without its jobs and results. */
export const deletedWorkflowView = (workflow: Workflow) => ({
  ...workflowView(workflow),
  provider: workflow.plan.provider,
  error: workflow.error,
  jobs: null,
  metrics: null,
  parameters: null,
  artifacts_download_url: null,
});

const jobView = (job: Job) => ({
  id: job.id,
  type: job.spec.type,
  status: job.status,
  total_rows: job.totalRows,
  done_rows: job.doneRows,
  failed_rows: job.failedRows,
  error: job.error,
  queued_reason: job.queuedReason,
  metrics: namedValues(job.result?.metrics),
  parameters: namedValues(job.result?.parameters),
  metric_url: '',
  artifact_url: '',
});

const namedValues = (values: unknown): { readonly name: string; readonly value: unknown }[] =>
  Object.entries(membersOf(values)).map(([name, value]) => ({ name, value }));

/** Returns the signed URL of a workflow's results. */
type ResultsAddress = (c: Context, workflow: Pick<WorkflowDetails, 'id'>) => Promise<string>;

export const createResultsAddress =
  (artifacts: Pick<Artifacts, 'address'>, absoluteUrl: AbsoluteUrl): ResultsAddress =>
  async (c, { id }) =>
    absoluteUrl(c, await artifacts.address(`${id}.json`));

/** Creates a workflow's view, including the URL of its results. */
export const createWorkflowView =
  (resultsAddress: ResultsAddress) => async (c: Context, workflow: WorkflowDetails) =>
    workflowDetailsView(workflow, workflow.status === 'succeeded' ? await resultsAddress(c, workflow) : null);
