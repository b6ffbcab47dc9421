import { type ColumnDataType, type Kysely, sql } from 'kysely';
import type { WorkflowSchema } from './workflow-schema.ts';
import { keysOf } from '#core/values/keys.ts';

type Type = 'text' | 'bigint' | 'integer' | 'bytes';
type TableColumns<Row> = { readonly [Column in keyof Row]: Type | `${Type}?` };

/** Columns of all tables. Types of nullable columns end in `?`; the first column is the primary key, unless `KEYS` names others. */
type Tables = {
  readonly [Table in Exclude<keyof WorkflowSchema, LaterTable>]: TableColumns<
    Omit<WorkflowSchema[Table], LaterColumn> &
      (Table extends 'gateway_jobs' ? DroppedColumns : unknown) &
      (Table extends 'gateway_secrets' ? RenamedColumns : unknown)
  >;
};
/** Tables and columns that later migrations have added. */
type LaterTable = 'gateway_job_ranges' | 'gateway_uploads';
type LaterColumn =
  | 'failed_workers'
  | 'queued_reason'
  | 'resume_at'
  | 'team_id'
  | 'key_id'
  | 'next_row'
  | 'workers'
  | 'files'
  | 'tags'
  | 'search_text'
  | 'source'
  | 'space';
/** Columns of jobs that a later migration has moved to their ranges. */
interface DroppedColumns {
  readonly checkpoint: unknown;
}
/** The column of secrets that a later migration has renamed. */
interface RenamedColumns {
  readonly owner: unknown;
}

const TABLES: Tables = {
  gateway_datasets: {
    id: 'text',
    filename: 'text',
    format: 'text',
    size: 'bigint',
    row_count: 'bigint',
    columns: 'text',
    ground_truth: 'integer',
    run_id: 'text?',
    generated: 'integer',
    generated_by: 'text?',
    complete: 'integer',
    owner: 'text?',
    created_at: 'bigint',
  },
  gateway_chunks: { set_id: 'text', first_row: 'bigint', row_count: 'bigint', bytes: 'bytes' },
  gateway_experiments: {
    id: 'text',
    name: 'text',
    description: 'text',
    dataset_id: 'text',
    max_samples: 'bigint',
    task: 'text',
    owner: 'text?',
    created_at: 'bigint',
    updated_at: 'bigint?',
  },
  gateway_workflows: {
    id: 'text',
    experiment_id: 'text',
    name: 'text',
    description: 'text',
    spec: 'text',
    status: 'text',
    error: 'text?',
    metrics: 'text?',
    artifact_id: 'text?',
    owner: 'text?',
    created_at: 'bigint',
    updated_at: 'bigint?',
  },
  gateway_jobs: {
    id: 'text',
    workflow_id: 'text?',
    type: 'text',
    name: 'text',
    description: 'text',
    status: 'text',
    spec: 'text',
    dataset_id: 'text',
    output_id: 'text?',
    total_rows: 'bigint',
    done_rows: 'bigint',
    failed_rows: 'bigint',
    checkpoint: 'text?',
    result: 'text?',
    error: 'text?',
    cancelled: 'integer',
    lease_owner: 'text?',
    lease_until: 'bigint?',
    lease_epoch: 'bigint',
    timeout_sec: 'bigint',
    deadline_at: 'bigint?',
    compute: 'text',
    compute_ref: 'text?',
    prompt_tokens: 'bigint',
    completion_tokens: 'bigint',
    cost_nano: 'bigint',
    owner: 'text?',
    created_at: 'bigint',
    started_at: 'bigint?',
    ended_at: 'bigint?',
  },
  gateway_job_logs: { id: 'text', job_id: 'text', at: 'bigint', level: 'text', text: 'text' },
  gateway_secrets: {
    owner: 'text',
    name: 'text',
    value: 'bytes',
    description: 'text',
    created_at: 'bigint',
    updated_at: 'bigint?',
  },
  gateway_signing_keys: { purpose: 'text', bytes: 'bytes' },
};

/** Primary keys that are not just the first column. */
const KEYS: { readonly [Table in keyof Tables]?: readonly (keyof Tables[Table])[] } = {
  gateway_chunks: ['set_id', 'first_row'],
  gateway_secrets: ['owner', 'name'],
};

const INDEXES: {
  readonly [Table in keyof WorkflowSchema]?: readonly (readonly (keyof WorkflowSchema[Table])[])[];
} = {
  gateway_workflows: [['experiment_id']],
  gateway_jobs: [['status', 'created_at'], ['workflow_id']],
  gateway_job_logs: [['job_id', 'id']],
  gateway_datasets: [['run_id']],
};

export async function createWorkflowTables(db: Kysely<unknown>): Promise<void> {
  for (const table of keysOf(TABLES)) {
    const columns = TABLES[table];
    const key: readonly string[] = KEYS[table] ?? Object.keys(columns).slice(0, 1);
    let builder = db.schema.createTable(table);
    for (const [column, type] of Object.entries<string>(columns)) {
      const optional = type.endsWith('?');
      builder = builder.addColumn(column, dataType(type.replace('?', '') as Type), (definition) =>
        optional ? definition : definition.notNull(),
      );
    }
    await builder.addPrimaryKeyConstraint(`${table}_key`, [...key] as never[]).execute();
    const indexes: readonly (readonly string[])[] = INDEXES[table] ?? [];
    for (const index of indexes) {
      await db.schema
        .createIndex(`${table}_by_${index[0]}`)
        .on(table)
        .columns([...index])
        .execute();
    }
  }
}

/** PostgreSQL's type for bytes. SQLite accepts any type name and stores bytes unchanged. */
const dataType = (type: Type): ColumnDataType | ReturnType<typeof sql> =>
  type === 'bytes' ? sql`bytea` : type;
