/** @import { Session } from '../session.js' */
import { columnChart } from '../components/chart.js';
import { rangeIn, rangeQuery } from './time-range.js';
import { stackOf } from './trend-series.js';

/**
 * A chart of the spending of one user, key or team in the last 30 days; nothing without requests.
 * @param {Session} session
 * @param {Record<string, string>} scope e.g. `{ user_id: 'ada' }`
 * @param {AbortSignal} signal
 */
export async function ownSpending(session, scope, signal) {
  const query = { ...rangeQuery(rangeIn(new URLSearchParams({ range: '30d' }))), ...scope, top: 5 };
  const { data } = await session.call('v1/usage/spending', { query, signal });
  if (data.totals.requests === 0) return [];
  return [
    columnChart({
      title: 'Spend of the last 30 days by model',
      unit: 'USD',
      time: true,
      series: stackOf(data, 'cost'),
    }),
  ];
}
