import { type Kysely, sql } from 'kysely';
import { addAlerts } from './add-alerts.ts';
import { addAnswerCache } from './add-answer-cache.ts';
import { addAuditLog } from './add-audit-log.ts';
import { addCacheClears } from './add-cache-clears.ts';
import { addCachePrices } from './add-cache-prices.ts';
import { addCalendar } from './add-calendar.ts';
import { addExperimentAnswers } from './add-experiment-answers.ts';
import { addDatasetSource } from './add-dataset-source.ts';
import { addGroups } from './add-groups.ts';
import { addGuardrailHits } from './add-guardrail-hits.ts';
import { addInvitations } from './add-invitations.ts';
import { addInterruptedUsage } from './add-interrupted-usage.ts';
import { addJobFiles } from './add-job-files.ts';
import { addJobKeys } from './add-job-keys.ts';
import { addJobRanges } from './add-job-ranges.ts';
import { addKeyAlerts } from './add-key-alerts.ts';
import { addModelEntries } from './add-model-entries.ts';
import { addObjectMasks } from './add-object-masks.ts';
import { addObjectTags } from './add-object-tags.ts';
import { addPauses } from './add-pauses.ts';
import { addPriceMap } from './add-price-map.ts';
import { addPromptLog } from './add-prompt-log.ts';
import { addSignInCodes } from './add-sign-in-codes.ts';
import { addSpaces } from './add-spaces.ts';
import { addStoredObjects } from './add-stored-objects.ts';
import { addTags } from './add-tags.ts';
import { addTokenFactors } from './add-token-factors.ts';
import { addUnits } from './add-units.ts';
import { addUploads } from './add-uploads.ts';
import { addUsageSums } from './add-usage-sums.ts';
import { createWorkflowTables } from './create-workflow-tables.ts';

/** Each migration increments the schema version by one. Released migrations never change; new ones are added at the end. */
export type Migration = (db: Kysely<unknown>) => Promise<void>;

export const MIGRATIONS: readonly Migration[] = [
  createTables,
  createWorkflowTables,
  addFailedWorkers,
  addErrorDetail,
  addQueuedReason,
  addRetryRow,
  addCachePrices,
  addPriceMap,
  addCalendar,
  addEndUser,
  addAnswerCache,
  addTags,
  addAlerts,
  addUnits,
  addTokenFactors,
  addAuditLog,
  addPromptLog,
  addStoredObjects,
  addGroups,
  addModelEntries,
  addKeyAlerts,
  addCacheClears,
  addPauses,
  addExperimentAnswers,
  addJobRanges,
  addJobFiles,
  addObjectTags,
  addDatasetSource,
  addUploads,
  addUsageSums,
  addGuardrailHits,
  addJobKeys,
  addObjectMasks,
  addSpaces,
  addInvitations,
  addSignInCodes,
  addInterruptedUsage,
];

/** Counts workers of a job that ended, so that a job that ends every worker fails, even if the gateway restarts meanwhile. */
async function addFailedWorkers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('gateway_jobs')
    .addColumn('failed_workers', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}

/** Stores why a provider failed, for administrators. */
async function addErrorDetail(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_usage').addColumn('error_detail', 'text').execute();
}

/** Stores the client's own user that a request names. */
async function addEndUser(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_usage').addColumn('end_user', 'text').execute();
}

/** Stores why a job waits, e.g. for a cluster that cannot be reached. */
async function addQueuedReason(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('queued_reason', 'text').execute();
}

/** Stores how far a retry has repeated failed rows, so that it can continue there. */
async function addRetryRow(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('gateway_jobs').addColumn('retry_row', 'bigint').execute();
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_users')
    .addColumn('user_id', 'text', (column) => column.primaryKey())
    .addColumn('alias', 'text')
    .addColumn('budget_id', 'text')
    .addColumn('blocked', 'integer', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('rpm', 'bigint')
    .addColumn('tpm', 'bigint')
    .addColumn('max_parallel', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema
    .createTable('gateway_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_hash', 'text', (column) => column.notNull().unique())
    .addColumn('key_prefix', 'text', (column) => column.notNull())
    .addColumn('previous_hash', 'text', (column) => column.unique())
    .addColumn('previous_expires_at', 'bigint')
    .addColumn('key_name', 'text')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('is_active', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('allowed_models', 'text')
    .addColumn('rpm', 'bigint')
    .addColumn('tpm', 'bigint')
    .addColumn('max_parallel', 'bigint')
    .addColumn('max_budget_nano', 'bigint')
    .addColumn('budget_duration_sec', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('gateway_keys_user').on('gateway_keys').column('user_id').execute();
  await createMoneyTables(db);
  await createUsageTable(db);
}

async function createMoneyTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_budgets')
    .addColumn('budget_id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text')
    .addColumn('max_budget_nano', 'bigint')
    .addColumn('budget_duration_sec', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('gateway_budget_resets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('spent_nano', 'bigint', (column) => column.notNull())
    .addColumn('reset_at', 'bigint', (column) => column.notNull())
    .addColumn('next_reset_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('gateway_budget_resets_account')
    .on('gateway_budget_resets')
    .columns(['account_id', 'reset_at'])
    .execute();
  await db.schema
    .createTable('gateway_prices')
    .addColumn('model_key', 'text', (column) => column.notNull())
    .addColumn('effective_at', 'bigint', (column) => column.notNull())
    .addColumn('input_nano', 'bigint', (column) => column.notNull())
    .addColumn('cached_input_nano', 'bigint')
    .addColumn('output_nano', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('gateway_prices_key', ['model_key', 'effective_at'])
    .execute();
  await db.schema
    .createTable('gateway_accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('spent_nano', 'bigint', (column) => column.notNull())
    .addColumn('reserved_nano', 'bigint', (column) => column.notNull().check(sql`reserved_nano >= 0`))
    .addColumn('running', 'integer', (column) => column.notNull().check(sql`running >= 0`))
    .addColumn('window_started_at', 'bigint')
    .addColumn('window_ends_at', 'bigint')
    .addColumn('minute', 'text')
    .execute();
  await db.schema
    .createTable('gateway_reservations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('process_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text')
    .addColumn('amount_nano', 'bigint', (column) => column.notNull())
    .addColumn('tokens', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('gateway_processes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('machine', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function createUsageTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gateway_usage')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('timestamp', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('api_key_id', 'text')
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('provider', 'text')
    .addColumn('endpoint', 'text', (column) => column.notNull())
    .addColumn('prompt_tokens', 'bigint')
    .addColumn('completion_tokens', 'bigint')
    .addColumn('cached_tokens', 'bigint')
    .addColumn('total_tokens', 'bigint')
    .addColumn('cost_nano', 'bigint')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error_message', 'text')
    .addColumn('status_code', 'integer')
    .addColumn('latency_ms', 'bigint')
    .addColumn('ttft_ms', 'bigint')
    .addColumn('estimated', 'integer', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .execute();
  for (const column of ['user_id', 'api_key_id']) {
    await db.schema
      .createIndex(`gateway_usage_${column}`)
      .on('gateway_usage')
      .columns([column, 'timestamp'])
      .execute();
  }
  await db.schema
    .createIndex('gateway_usage_time')
    .on('gateway_usage')
    .columns(['timestamp', 'id'])
    .execute();
}
