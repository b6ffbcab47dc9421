import { wordOf } from '#serve/http/query.ts';
import type { GatewayContext } from '../../context.ts';
import { momentOf } from '../http/values.ts';
import { pageOf, refuseUnknownParameters } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { HIT_OPERATIONS } from './operations.ts';
import { HIT_MODES } from '../../accounts/guardrail-hits/hit-modes.ts';
import { hitView } from './view.ts';

const PARAMETERS = ['profile', 'mode', 'user_id', 'request_id', 'from', 'to', 'skip', 'limit'];

/** `/v1/guardrail-hits`: texts that guardrails flagged. */
export function guardrailHitRoutes({ state }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const routes = newRoutes();
  routes.get('/v1/guardrail-hits', guards.reader, async (c) => {
    refuseUnknownParameters(c, PARAMETERS);
    const value = (name: string): string | undefined => c.req.query(name) || undefined;
    const mode = wordOf(c, 'mode', ['any', ...HIT_MODES], 'any');
    const filter = {
      profile: value('profile'),
      mode: mode === 'any' ? undefined : mode,
      userId: value('user_id'),
      requestId: value('request_id'),
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    };
    const { total, hits } = await state.guardrailHits.list(filter, pageOf(c));
    return c.json({ total, items: hits.map(hitView) });
  });
  return { routes, operations: HIT_OPERATIONS };
}
