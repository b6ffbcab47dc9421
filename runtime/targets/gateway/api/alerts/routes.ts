import { wordOf } from '#serve/http/query.ts';
import { sendTestAlert } from '../../alerts/alert-delivery.ts';
import { ALERT_STATES } from '../../alerts/alert-states.ts';
import type { GatewayContext } from '../../context.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { ALERT_OPERATIONS } from './operations.ts';
import { alertView } from './view.ts';

/** `/v1/alerts`: alerts about budgets. */
export function alertRoutes(
  { state, alertsConfig, clock }: GatewayContext,
  { guards }: HttpParts,
): GatewayRoutes {
  const routes = newRoutes();
  routes.get('/v1/alerts', guards.reader, async (c) => {
    const only = c.req.query('state') ? wordOf(c, 'state', ALERT_STATES, 'pending') : undefined;
    return c.json((await state.alerts.list(pageOf(c), only)).map(alertView));
  });
  routes.post('/v1/alerts/test', guards.admin, async (c) =>
    c.json(await sendTestAlert(alertsConfig()?.webhook, clock.now())),
  );
  return { routes, operations: ALERT_OPERATIONS };
}
