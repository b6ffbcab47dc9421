import { type Kysely, sql } from 'kysely';
import { containsInAnyCase } from '../../store/contains-text.ts';
import { inOrder, textOrder } from '../../store/in-order.ts';
import type { Schema } from '../../store/schema.ts';
import { isStorable } from '../../store/storable-text.ts';
import { spentAt } from './accounts.ts';
import { inTeams } from './in-teams.ts';
import { hasAccountStatus } from './has-account-status.ts';
import type { UserQuery, Visible } from './list-queries.ts';
import { selectUsers } from './user-rows.ts';

const CREATED = { by: 'created_at', isDescending: false } as const;

/** Selects the users of a list. */
export function foundUsers(
  db: Kysely<Schema>,
  { visible = 'everything', search, status, teamId, order = CREATED }: UserQuery,
  now: number,
): ReturnType<typeof selectUsers> {
  const visibleOnes = visibleUsers(selectUsers(db), visible);
  const found = (teamId === undefined ? visibleOnes : usersOf(visibleOnes, [teamId].filter(isStorable)))
    .where(containsInAnyCase(['user_id', 'alias'], search))
    .where(hasAccountStatus(status));
  const values = {
    created_at: sql.ref('created_at'),
    user_id: textOrder('user_id'),
    alias: textOrder('alias'),
    spend: spentAt(now),
  };
  return inOrder(found, order, { values, id: 'user_id' });
}

/** Restricts a selection to the users that a manager can see: members and service accounts of administered teams. */
const visibleUsers = (query: ReturnType<typeof selectUsers>, visible: Visible): typeof query =>
  visible === 'everything' ? query : usersOf(query, visible.teamIds, visible.userId);

/** Restricts a selection to the members and service accounts of teams, and one more user. */
const usersOf = (
  query: ReturnType<typeof selectUsers>,
  teamIds: readonly string[],
  userId?: string,
): typeof query =>
  query.where((row) =>
    row.or([
      ...(userId === undefined ? [] : [row('user_id', '=', userId)]),
      inTeams(row.ref('team_id'), teamIds),
      row.exists(
        row
          .selectFrom('gateway_team_members')
          .select('gateway_team_members.user_id')
          .whereRef('gateway_team_members.user_id', '=', 'gateway_users.user_id')
          .where((member) => inTeams(member.ref('gateway_team_members.team_id'), teamIds)),
      ),
    ]),
  );
