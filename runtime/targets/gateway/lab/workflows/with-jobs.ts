import type { Kysely } from 'kysely';
import { jobOf } from '../jobs/job-row.ts';
import type { Schema } from '../../store/schema.ts';
import type { Workflow, WorkflowDetails } from './workflow.ts';

/** With the jobs of each, the newest first; however many there are, they are asked for once. */
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
    // One begins in the very moment in which the one before has ended.
    .orderBy('type')
    .execute();
  const jobs = Map.groupBy(rows.map(jobOf), ({ workflowId }) => workflowId);
  return workflows.map((workflow) => ({ ...workflow, jobs: jobs.get(workflow.id) ?? [] }));
}
