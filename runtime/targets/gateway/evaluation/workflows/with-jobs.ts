import type { Kysely } from 'kysely';
import { jobOf } from '../jobs/job-row.ts';
import type { Schema } from '../../store/schema.ts';
import type { Workflow, WorkflowDetails } from './workflow.ts';

/** Adds the jobs of each workflow, newest first, with one query for all workflows. */
export async function withJobs(
  db: Kysely<Schema>,
  workflows: readonly Workflow[],
): Promise<readonly WorkflowDetails[]> {
  if (workflows.length === 0) return [];
  const rows = await db
    .selectFrom('gateway_jobs')
    .selectAll()
    .where(
      'workflow_id',
      'in',
      workflows.map(({ id }) => id),
    )
    .orderBy('created_at', 'desc')
    // A job can be created in the same millisecond as the one before, so the type decides the order.
    .orderBy('type')
    .execute();
  const jobs = Map.groupBy(rows.map(jobOf), ({ workflowId }) => workflowId);
  return workflows.map((workflow) => ({ ...workflow, jobs: jobs.get(workflow.id) ?? [] }));
}
