import type { Context } from 'hono';
import { TEAM_ORDERS, type GroupQuery } from '../../accounts/identity/list-queries.ts';
import { filterIn, filterParameter, orderIn, orderParameter, refuseOthers } from '../http/lists.ts';
import { groupFilters, groupQuery } from './group-query.ts';

export const TEAM_FILTERS = [
  ...groupFilters('teams', 'research'),
  filterParameter('organization_id', 'Only teams of this organization.', 'acme'),
  orderParameter(TEAM_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of teams. */
export function teamQuery(c: Context): GroupQuery {
  refuseOthers(c, TEAM_FILTERS);
  return { ...groupQuery(c), organizationId: filterIn(c, 'organization_id'), order: orderIn(c, TEAM_ORDERS) };
}
