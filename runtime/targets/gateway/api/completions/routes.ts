import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import { BODY_ENDPOINTS, ENDPOINTS } from '../../requests/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { readUploadForm } from '../http/bodies.ts';
import { formInput } from './form-input.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { createCompletionAnswer } from './answer.ts';
import { COMPLETION_OPERATIONS } from './operations.ts';

/** Routes of model requests. `direct.ts` answers most of them before they reach these routes. */
export function completionRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const bodies = modelBodyOptions(options);
  const routes = newRoutes();

  for (const endpoint of BODY_ENDPOINTS) {
    routes.post(endpoint, async (c) => {
      const modelCaller = await signIn.modelCaller(c.req.raw.headers);
      c.set('caller', modelCaller);
      const { fileField } = ENDPOINTS[endpoint];
      const readInput =
        fileField === undefined
          ? undefined
          : async () => formInput(await readUploadForm(c, bodies), fileField);
      const request = { endpoint, caller: modelCaller.payer, requestId: c.get('requestId'), readInput };
      return await answerRequest(c, (exchange) => answer(exchange, request));
    });
  }

  return { routes, operations: COMPLETION_OPERATIONS };
}
