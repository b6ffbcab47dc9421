import { createDirectListener, type DirectListener, type DirectRoute } from '#serve/http/direct-route.ts';
import { BODY_ENDPOINTS, ENDPOINTS } from '../../requests/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, hostRulesOf } from '../app-options.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { type ModelCaller, createSignIn } from '../sign-in/sign-in.ts';
import { createCompletionAnswer } from './answer.ts';

/** Answers most model requests without the overhead of the HTTP application, which handles all others. */
export function directCompletions(context: GatewayContext, options: GatewayAppOptions): DirectListener {
  const { maxBodyBytes } = options.server;
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const head = Object.entries(securityHeaders('/v1')).flat();

  const isJson = (endpoint: (typeof BODY_ENDPOINTS)[number]): boolean => !ENDPOINTS[endpoint].fileField;
  const routes = BODY_ENDPOINTS.filter(isJson).map((endpoint): DirectRoute => ({
    route: endpoint,
    path: new RegExp(`^${endpoint}(?:\\?.*)?$`),
    maxBodyBytes,
    hostRules: hostRulesOf(options),
    head,
    signIn: (headers) => signIn.modelCaller(headers),
    answer: ({ exchange, requestId, caller }) =>
      answer(exchange, { endpoint, caller: (caller as ModelCaller).payer, requestId }),
  }));
  return createDirectListener(context.kernel, routes);
}
