import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { permitScope } from '../usage/permit-scope.ts';
import { ownPart } from './own-part.ts';
import { TREND_OPERATIONS } from './operations.ts';
import { spendingQuery, speedsQuery } from './query.ts';
import { latencyView, spendingView } from '../views/records.ts';

/** `/v1/usage/spending` and `/v1/usage/latency`: the usage over time, for charts. */
export function trendRoutes({ state, clock }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { trends, identity } = state;
  const routes = newRoutes();
  routes.get('/v1/usage/spending', guards.anyKey, async (c) => {
    const query = spendingQuery(c, clock.now());
    const permitted = await permitScope(c, identity);
    const range = await ownPart(query.range, permitted, state.requests);
    return c.json(spendingView(await trends.spending(range, permitted.scope, query), query));
  });
  routes.get('/v1/usage/latency', guards.anyKey, async (c) => {
    const { range, by, top } = speedsQuery(c, clock.now());
    const permitted = await permitScope(c, identity);
    const own = await ownPart(range, permitted, state.requests);
    return c.json(latencyView(range, await trends.speeds(own, permitted.scope, by), top));
  });
  return { routes, operations: TREND_OPERATIONS };
}
