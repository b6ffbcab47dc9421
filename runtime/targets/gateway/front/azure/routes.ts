import { answerRequest } from '../../../../serve/http/exchange/fetch-exchange.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import type { GatewayContext } from '../../context.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { createCompletionAnswer } from '../completions/answer.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { createSignIn } from '../sign-in/sign-in.ts';

/** Routes whose path names the deployment, which is the model. */
const OF_DEPLOYMENTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/images/generations',
] as const satisfies readonly Endpoint[];

/** Routes whose body names the model, in the API without dates. */
const UNDATED = [...OF_DEPLOYMENTS, '/v1/responses'] as const;

/**
 * Paths of Azure OpenAI, for its clients: the same endpoints under other paths. The version of the API does not matter.
 * @see https://learn.microsoft.com/azure/ai-foundry/openai/reference
 */
export function azureRoutes(context: GatewayContext, options: GatewayAppOptions): GatewayRoutes {
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const routes = newRoutes();

  const add = (path: string, endpoint: Endpoint): void => {
    routes.post(path, async (c) => {
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
  };
  for (const endpoint of OF_DEPLOYMENTS) {
    // Names of models can have colons and slashes.
    add(`/openai/deployments/:model{.+}${endpoint.slice('/v1'.length)}`, endpoint);
  }
  for (const endpoint of UNDATED) add(`/openai${endpoint}`, endpoint);
  add('/openai/responses', '/v1/responses');

  return { routes, operations: [] };
}
