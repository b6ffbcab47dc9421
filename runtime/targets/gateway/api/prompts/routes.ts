import type { GatewayContext } from '../../context.ts';
import { momentOf } from '../http/values.ts';
import { pageOf, refuseUnknownParameters } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { PROMPT_OPERATIONS } from './operations.ts';
import { promptHeadView, promptView } from '../views/records.ts';

const PARAMETERS = ['user_id', 'api_key_id', 'model', 'request_id', 'from', 'to', 'skip', 'limit'];

/** `/v1/admin/prompts`: stored requests and answers. */
export function promptRoutes({ state }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { promptLog } = state;
  const routes = newRoutes();
  routes.get('/v1/admin/prompts', guards.admin, async (c) => {
    refuseUnknownParameters(c, PARAMETERS);
    const value = (name: string): string | undefined => c.req.query(name) || undefined;
    const filter = {
      userId: value('user_id'),
      keyId: value('api_key_id'),
      model: value('model'),
      requestId: value('request_id'),
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    };
    const { total, prompts } = await promptLog.list(filter, pageOf(c));
    return c.json({ total, items: prompts.map(promptHeadView) });
  });
  routes.get('/v1/admin/prompts/:request_id', guards.admin, async (c) =>
    c.json((await promptLog.read(c.req.param('request_id'))).map(promptView)),
  );
  return { routes, operations: PROMPT_OPERATIONS };
}
