import type { Context } from 'hono';
import { type GroupQuery, ORGANIZATION_ORDERS } from '../../accounts/identity/list-queries.ts';
import { orderIn, orderParameter, refuseOthers } from '../http/lists.ts';
import { groupFilters, groupQuery } from '../teams/group-query.ts';

export const ORGANIZATION_FILTERS = [
  ...groupFilters('organizations', 'acme'),
  orderParameter(ORGANIZATION_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of organizations. */
export function organizationQuery(c: Context): GroupQuery {
  refuseOthers(c, ORGANIZATION_FILTERS);
  return { ...groupQuery(c), order: orderIn(c, ORGANIZATION_ORDERS) };
}
