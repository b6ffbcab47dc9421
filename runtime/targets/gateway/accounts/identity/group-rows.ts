import { type Kysely, type Selectable, sql } from 'kysely';
import { valuesOf } from '../../store/field-columns.ts';
import type { AccountRow, GroupKind, GroupRow, Schema } from '../../store/schema.ts';
import { type Group, TEAM_FIELDS } from '../fields/groups.ts';
import { balanceOf } from './accounts.ts';

/** Names of group kinds in messages, at the start of a sentence. */
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
  ...valuesOf(TEAM_FIELDS, row),
  ...balanceOf(row, now),
});
