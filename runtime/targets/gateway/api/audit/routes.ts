import type { GatewayContext } from '../../context.ts';
import { csvAnswer } from '../http/answers.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { AUDIT_OPERATIONS } from './operations.ts';
import { auditQuery } from './query.ts';
import { auditEventView } from '../views/records.ts';

/** `/v1/admin/audit`: administrative changes and refused attempts. */
export function auditRoutes({ state }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { auditLog } = state;
  const routes = newRoutes();
  routes.get('/v1/admin/audit', guards.reader, async (c) => {
    const { filter, asCsv } = auditQuery(c);
    if (asCsv) return csvAnswer(c, auditLog.csv(filter), 'audit.csv');
    const { total, events } = await auditLog.list(filter, pageOf(c));
    return c.json({ total, items: events.map(auditEventView) });
  });
  return { routes, operations: AUDIT_OPERATIONS };
}
