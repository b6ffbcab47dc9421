import { type Kysely, type Selectable, sql } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { AccountRow, KeyRow, Schema } from '../../store/schema.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { storableText } from '../../store/storable-text.ts';
import { thresholdsOf, thresholdsToText } from './alert-columns.ts';
import { spentNow } from './accounts.ts';
import { keyAccount } from '../../store/account-ids.ts';
import { type Key, KEY_SCOPES, type KeyChanges, type KeyIssuer, type KeyScope } from './identity.ts';
import type { KeyStatus } from './list-queries.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Selects keys with their spending. */
export const selectKeys = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_keys')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(keyAccount(''))} || gateway_keys.id`),
    )
    .selectAll('gateway_keys')
    .select(['spent_nano', 'window_ends_at']);

export type SelectedKey = Selectable<KeyRow & Pick<AccountRow, 'spent_nano' | 'window_ends_at'>>;

/** A key for display. `lastUsedAt` can be newer than the value in the database. */
export function keyOf(row: SelectedKey, lastUsedAt: number | null, now: number): Key {
  const { max_budget_nano: maxBudget, budget_duration_sec: budgetDurationSec } = row;
  return {
    id: row.id,
    keyPrefix: row.key_prefix,
    keyName: row.key_name,
    userId: row.user_id,
    teamId: row.team_id,
    scope: scopeOf(row.scope),
    issuer: issuerOf(row.issuer),
    selfMade: row.self_made === 1,
    createdAt: row.created_at,
    lastUsedAt,
    expiresAt: row.expires_at,
    isActive: row.is_active === 1,
    status: keyStatusOf(row.is_active === 1, row.expires_at, now),
    metadata: membersOf(parseJsonText(row.metadata)),
    allowedModels: modelsOf(row.allowed_models),
    rpm: row.rpm,
    tpm: row.tpm,
    maxParallel: row.max_parallel,
    budget:
      maxBudget === null && budgetDurationSec === null
        ? null
        : { maxBudget, budgetDurationSec, alertThresholds: thresholdsOf(row) },
    logPrompts: row.log_prompts === null ? null : row.log_prompts === 1,
    spent: spentNow(row, now),
  };
}

export function keyStatusOf(isActive: boolean, expiresAt: number | null, now: number): KeyStatus {
  if (!isActive) return 'inactive';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

export const scopeOf = (text: string): KeyScope => KEY_SCOPES.find((scope) => scope === text) ?? 'models';

export const issuerOf = (text: string): KeyIssuer => (text === 'own' ? 'own' : 'issued');

export function modelsOf(text: string | null): readonly string[] | null {
  const models = text === null ? null : parseJsonText(text);
  return Array.isArray(models) ? models : null;
}

/** The columns of the changed fields. */
export function keyColumns(changes: KeyChanges): Partial<KeyRow> {
  const { allowedModels: models, budget } = changes;
  const columns = {
    key_name: changes.keyName && storableText(changes.keyName),
    is_active: changes.isActive === undefined ? undefined : Number(changes.isActive),
    expires_at: changes.expiresAt,
    metadata: changes.metadata && JSON.stringify(changes.metadata),
    allowed_models: models && JSON.stringify(models),
    log_prompts: flagColumn(changes.logPrompts),
    rpm: changes.rpm,
    tpm: changes.tpm,
    max_parallel: changes.maxParallel,
    max_budget_nano: budget === null ? null : budget?.maxBudget,
    budget_duration_sec: budget === null ? null : budget?.budgetDurationSec,
    alert_thresholds: budget === undefined ? undefined : thresholdColumn(budget?.alertThresholds),
  };
  return omitUndefined(columns);
}

const thresholdColumn = (percentages: readonly number[] | null | undefined): string | null =>
  percentages ? thresholdsToText(percentages) : null;

const flagColumn = (flag: boolean | null | undefined): number | null | undefined =>
  typeof flag === 'boolean' ? Number(flag) : flag;
