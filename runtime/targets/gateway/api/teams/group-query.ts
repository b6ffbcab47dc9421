import type { Context } from 'hono';
import { ACCOUNT_STATUSES, type GroupQuery } from '../../accounts/identity/list-queries.ts';
import { filterIn, filterParameter, wordFilterIn } from '../http/lists.ts';

/** Filters of lists of teams and of organizations. */
export const groupFilters = (plural: 'teams' | 'organizations', example: string) => [
  filterParameter('search', `Only ${plural} whose id or alias contains this text, in any case.`, example),
  filterParameter('status', `Only ${plural} with this status.`, 'blocked', ACCOUNT_STATUSES),
];

/** Reads these filters. */
export const groupQuery = (c: Context): GroupQuery => ({
  search: filterIn(c, 'search'),
  status: wordFilterIn(c, 'status', ACCOUNT_STATUSES),
});
