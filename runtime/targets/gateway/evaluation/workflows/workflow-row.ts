import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Schema } from '../../store/schema.ts';
import type { Workflow, WorkflowPlan } from './workflow.ts';
import type { WorkflowStatus } from '../../store/workflow-schema.ts';
import { ownerIn } from '../../store/space-columns.ts';

/**
 * Selects workflows. The stored status is `created` until the end; `running` is derived from the jobs, so the
 * two always agree.
 */
export const selectWorkflows = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_workflows as w')
    .selectAll('w')
    .select((row) => hasBegun(row).as('has_begun'));

type FromWorkflows = Schema & { readonly w: Schema['gateway_workflows'] };

const hasBegun = (row: ExpressionBuilder<FromWorkflows, 'w'>) =>
  row.exists(
    row
      .selectFrom('gateway_jobs as j')
      .select('j.id')
      .whereRef('j.workflow_id', '=', 'w.id')
      .where('j.started_at', 'is not', null)
      .where((job) => job.or([job('j.ended_at', 'is', null), job('j.status', '=', 'succeeded')])),
  );

/** Whether a workflow has the status that `workflowOf` shows. */
export const hasStatus = (status: WorkflowStatus) => (row: ExpressionBuilder<FromWorkflows, 'w'>) =>
  status === 'created' || status === 'running'
    ? row.and([
        row('w.status', '=', 'created'),
        status === 'running' ? hasBegun(row) : row.not(hasBegun(row)),
      ])
    : row('w.status', '=', status);

type Row = Selectable<Schema['gateway_workflows']> & { readonly has_begun: unknown };

export const workflowOf = (row: Row): Workflow => ({
  id: row.id,
  experimentId: row.experiment_id,
  name: row.name,
  description: row.description,
  plan: parseJsonText(row.spec) as WorkflowPlan,
  status: row.status === 'created' && Boolean(row.has_begun) ? 'running' : row.status,
  error: row.error,
  metrics: row.metrics === null ? {} : (parseJsonText(row.metrics) as Workflow['metrics']),
  owner: ownerIn(row),
  tags: parseJsonText(row.tags) as readonly string[],
  teamId: row.team_id,
  keyId: row.key_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const isActive = ({ status }: Pick<Workflow, 'status'>): boolean =>
  status === 'created' || status === 'running';
