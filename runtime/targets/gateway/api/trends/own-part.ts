import type { RequestList } from '../../accounts/ledger/request-list.ts';
import { TREND_INTERVAL_HOURS, type TrendRange } from '../../accounts/ledger/trends/trends-api.ts';
import { filterOf } from '../requests/routes.ts';
import type { PermittedScope } from '../usage/permit-scope.ts';

const HOUR_MS = 3_600_000;

/**
 * The intervals of a range without usage of an earlier user or team with the same id. Sums are of whole intervals, so the one in which the id was
 * used again is left out.
 */
export async function ownPart(
  range: TrendRange,
  { scope, since }: PermittedScope,
  requests: Pick<RequestList, 'list'>,
): Promise<TrendRange> {
  const length = TREND_INTERVAL_HOURS[range.interval] * HOUR_MS;
  const from = Math.min(range.to, Math.ceil(since / length) * length);
  if (from <= range.from) return range;
  const [earlier] = await requests.list({ ...filterOf(scope), to: since }, undefined, 1);
  return earlier ? { ...range, from } : range;
}
