import { answerRequest } from '../../../../serve/http/exchange/fetch-exchange.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { createCompletionAnswer } from './answer.ts';
import { COMPLETION_OPERATIONS } from './operations.ts';

/** The routes of requests to models. `direct.ts` answers most of these requests before they reach the app. */
export function completionRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const routes = newRoutes();

  for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
    routes.post(endpoint, async (c) => {
      const asking = await signIn.asking(c.req.raw.headers);
      c.set('caller', asking);
      const request = { endpoint, caller: asking.payer, requestId: c.get('requestId') };
      return await answerRequest(c, (exchange) => answer(exchange, request));
    });
  }

  return { routes, operations: COMPLETION_OPERATIONS };
}
