import type { Context } from 'hono';
import { ACCOUNT_STATUSES, USER_ORDERS, type UserQuery } from '../../accounts/identity/list-queries.ts';
import { filterIn, filterParameter, orderIn, orderParameter, refuseOthers, wordFilterIn } from '../http/lists.ts';

export const USER_FILTERS = [
  filterParameter('search', 'Only users whose id or alias contains this text, in any case.', 'lovelace'),
  filterParameter('status', 'Only users with this status.', 'blocked', ACCOUNT_STATUSES),
  filterParameter('team_id', 'Only members and service accounts of this team.', 'research'),
  orderParameter(USER_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of users. */
export function userQuery(c: Context): UserQuery {
  refuseOthers(c, USER_FILTERS);
  return {
    search: filterIn(c, 'search'),
    status: wordFilterIn(c, 'status', ACCOUNT_STATUSES),
    teamId: filterIn(c, 'team_id'),
    order: orderIn(c, USER_ORDERS),
  };
}
