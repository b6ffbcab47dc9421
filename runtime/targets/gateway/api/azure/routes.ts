import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import type { GatewayContext } from '../../context.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { createCompletionAnswer } from '../completions/answer.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createSignIn } from '../sign-in/sign-in.ts';
import { AZURE_OPERATIONS } from './operations.ts';
import { AZURE_PATHS } from './paths.ts';

/**
 * Paths of Azure OpenAI, for its clients: the same endpoints under other paths. The version of the API does not matter.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
export function azureRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const routes = newRoutes();

  for (const { path, endpoint } of AZURE_PATHS) {
    // Names of models can have colons and slashes.
    routes.post(path.replace('{model}', ':model{.+}'), async (c) => {
      const modelCaller = await signIn.modelCaller(c.req.raw.headers);
      c.set('caller', modelCaller);
      const model = c.req.param('model');
      const request = {
        endpoint,
        caller: modelCaller.payer,
        requestId: c.get('requestId'),
        inPath: model === undefined ? undefined : { model },
      };
      return await answerRequest(c, (exchange) => answer(exchange, request));
    });
  }

  return { routes, operations: AZURE_OPERATIONS };
}
