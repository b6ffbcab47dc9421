import { type Kysely, sql } from 'kysely';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { equalValues } from '../../store/equal-values.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import type { GroupKind, GroupRow, Schema } from '../../store/schema.ts';
import { spentAt } from './accounts.ts';
import { selectGroups } from './group-rows.ts';
import { hasAccountStatus } from './has-account-status.ts';
import { inTeams } from './in-teams.ts';
import type { GroupQuery } from './list-queries.ts';

const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the teams or the organizations of a list. */
export function foundGroups(
  db: Kysely<Schema>,
  { kind, query, now }: { readonly kind: GroupKind; readonly query: GroupQuery; readonly now: number },
): ReturnType<typeof selectGroups> {
  const { ids, search, status, organizationId, order = CREATED } = query;
  const all = selectGroups(db, kind);
  const found = (ids === undefined ? all : all.where((row) => inTeams(row.ref('gateway_groups.id'), ids)))
    .where(containsInAnyCase(['gateway_groups.id', 'alias'], search))
    .where(equalValues<GroupRow>({ parent_id: organizationId }))
    .where(hasAccountStatus(status));
  const values = {
    created_at: sql.ref('created_at'),
    team_id: textOrder('gateway_groups.id'),
    organization_id: textOrder('gateway_groups.id'),
    alias: textOrder('alias'),
    spend: spentAt(now),
  };
  return inOrder(found, order, { values, id: 'gateway_groups.id' });
}
