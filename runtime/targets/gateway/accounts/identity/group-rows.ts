import { type Kysely, type Selectable, sql } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { GroupKind, AccountRow, GroupRow, Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import { spentNow } from './accounts.ts';
import type { Group, GroupChanges } from './groups-api.ts';
import { modelsOf } from './key-rows.ts';

/** The kinds of groups in messages, at the start of a sentence. */
export const GROUP_NOUNS: Readonly<Record<GroupKind, string>> = { team: 'Team', org: 'Organization' };

/** Selects groups of a kind with their spending. */
export const selectGroups = (db: Kysely<Schema>, kind: GroupKind) =>
  db
    .selectFrom('gateway_groups')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`gateway_groups.kind || ':' || gateway_groups.id`),
    )
    .selectAll('gateway_groups')
    .select(['spent_nano', 'reserved_nano', 'window_started_at', 'window_ends_at'])
    .where('kind', '=', kind);

type Balance = Pick<AccountRow, 'spent_nano' | 'reserved_nano' | 'window_started_at' | 'window_ends_at'>;

export const groupOf = (row: Selectable<GroupRow & Balance>, now: number): Group => ({
  id: row.id,
  organizationId: row.parent_id,
  alias: row.alias,
  spent: spentNow(row, now),
  reserved: row.reserved_nano,
  budgetId: row.budget_id,
  budgetStartedAt: row.window_started_at,
  nextBudgetResetAt: row.window_ends_at,
  blocked: row.blocked === 1,
  allowedModels: modelsOf(row.allowed_models),
  rpm: row.rpm,
  tpm: row.tpm,
  maxParallel: row.max_parallel,
  metadata: membersOf(parseJsonText(row.metadata)),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The columns of the changed fields. */
export const groupColumns = (changes: GroupChanges): Partial<GroupRow> =>
  omitUndefined({
    alias: changes.alias && storableText(changes.alias),
    parent_id: changes.organizationId,
    budget_id: changes.budgetId,
    blocked: changes.blocked === undefined ? undefined : Number(changes.blocked),
    metadata: changes.metadata && JSON.stringify(changes.metadata),
    allowed_models: changes.allowedModels && JSON.stringify(changes.allowedModels),
    rpm: changes.rpm,
    tpm: changes.tpm,
    max_parallel: changes.maxParallel,
  });
