import type { Kysely, Selectable } from 'kysely';
import { keyAccount } from '../../store/account-ids.ts';
import type { KeyRow, Schema } from '../../store/schema.ts';
import { limitsOfKey } from './grant-rows.ts';
import type { KeyGrant } from './identity.ts';
import { modelsOf } from './key-rows.ts';
import { keyLabel } from './account-labels.ts';
import { least } from '#core/numbers/extremes.ts';

/**
 * A key that a member has made for itself, with the limits of all keys that others have made for the member in the team. Its requests
 * count in the budgets and rates of those keys too, so that a limit holds however many keys the member creates. Disabled keys hold as
 * well, because members can disable them.
 */
export async function boundKey(db: Kysely<Schema>, key: Omit<KeyGrant, 'boundBy'>): Promise<KeyGrant> {
  if (key.teamId === null) return { ...key, boundBy: [] };
  const rows = await db
    .selectFrom('gateway_keys')
    .selectAll()
    .where('user_id', '=', key.userId)
    .where('team_id', '=', key.teamId)
    .where('self_made', '=', 0)
    .orderBy('created_at')
    .execute();
  const ends = [key.expiresAt, ...rows.map((row) => row.expires_at)].filter((end) => end !== null);
  return {
    ...key,
    expiresAt: ends.length === 0 ? null : least(ends),
    logPrompts: rows.some((row) => row.log_prompts === 1) ? true : key.logPrompts,
    boundBy: rows.filter(isLimited).map((row) => ({
      account: keyAccount(row.id),
      label: keyLabel({ name: row.key_name, prefix: row.key_prefix }),
      allowedModels: modelsOf(row.allowed_models),
      limits: limitsOfKey(row),
    })),
  };
}

const isLimited = (row: Selectable<KeyRow>): boolean =>
  [row.rpm, row.tpm, row.max_parallel, row.max_budget_nano, row.allowed_models].some(
    (limit) => limit !== null,
  );
