import type { Context } from 'hono';
import { KEY_ORDERS, KEY_STATUSES, type KeyQuery } from '../../accounts/identity/list-queries.ts';
import { filterIn, filterParameter, orderIn, orderParameter, refuseOthers, wordFilterIn } from '../http/lists.ts';

export const KEY_FILTERS = [
  filterParameter(
    'search',
    'Only keys whose name, prefix, id or user contains this text, in any case.',
    'mobile',
  ),
  filterParameter('status', 'Only keys with this status.', 'active', KEY_STATUSES),
  filterParameter('user_id', 'Only keys of this user.', 'ada'),
  filterParameter('team_id', 'Only keys of this team.', 'research'),
  orderParameter(KEY_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of keys. */
export function keyQuery(c: Context): KeyQuery {
  refuseOthers(c, KEY_FILTERS);
  return {
    search: filterIn(c, 'search'),
    status: wordFilterIn(c, 'status', KEY_STATUSES),
    userId: filterIn(c, 'user_id'),
    teamId: filterIn(c, 'team_id'),
    order: orderIn(c, KEY_ORDERS),
  };
}
