import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import type { KeyRow, Schema } from '../../store/schema.ts';
import { spentAt } from './accounts.ts';
import { inTeams } from './in-teams.ts';
import { selectKeys } from './key-rows.ts';
import type { KeyStatus } from '../fields/keys.ts';
import type { KeyQuery, Visible } from './list-queries.ts';

const SEARCHED = ['key_name', 'key_prefix', 'user_id', 'gateway_keys.id'];
const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the keys of a list. */
export function foundKeys(
  db: Kysely<Schema>,
  { visible = 'everything', search, status, userId, teamId, order = CREATED }: KeyQuery,
  now: number,
): ReturnType<typeof selectKeys> {
  const found = visibleKeys(selectKeys(db), visible)
    .where(containsInAnyCase(SEARCHED, search))
    .where(equalValues<KeyRow>({ user_id: userId, team_id: teamId }))
    .where(status === undefined ? sql<SqlBool>`1 = 1` : hasStatus(status, now));
  const values = {
    created_at: sql.ref('gateway_keys.created_at'),
    key_name: textOrder('key_name'),
    user_id: textOrder('user_id'),
    spend: spentAt(now),
    last_used_at: sql.ref('last_used_at'),
  };
  return inOrder(found, order, { values, id: 'gateway_keys.id' });
}

/** When the user and the team of a key were created. Keys from before are those of earlier ones with the same id. */
const USER_ORIGIN = sql`(select origin.created_at from gateway_users origin where origin.user_id = gateway_keys.user_id)`;
const TEAM_ORIGIN = sql`(select origin.created_at from gateway_groups origin
  where origin.kind = 'team' and origin.id = gateway_keys.team_id)`;

/** Restricts a selection to the keys that a manager can see. */
const visibleKeys = (query: ReturnType<typeof selectKeys>, visible: Visible): typeof query =>
  visible === 'everything'
    ? query
    : query.where((row) =>
        row.or([
          row.and([
            row('user_id', '=', visible.userId),
            sql<boolean>`gateway_keys.created_at >= ${USER_ORIGIN}`,
          ]),
          row.and([
            inTeams(row.ref('team_id'), visible.teamIds),
            sql<boolean>`gateway_keys.created_at >= ${TEAM_ORIGIN}`,
          ]),
        ]),
      );

function hasStatus(status: KeyStatus, now: number): RawBuilder<SqlBool> {
  if (status === 'inactive') return sql`is_active = 0`;
  if (status === 'expired') return sql`is_active = 1 and expires_at <= ${now}`;
  return sql`is_active = 1 and (expires_at is null or expires_at > ${now})`;
}
