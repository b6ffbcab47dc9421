import {
  createDirectListener,
  type DirectListener,
  type DirectRoute,
} from '../../../../serve/http/direct-route.ts';
import type { Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, hostRulesOf } from '../app-options.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { type Asking, createSignIn } from '../sign-in/sign-in.ts';
import { createCompletionAnswer } from './answer.ts';

/** Answers requests to models as nearly all clients send them; the app answers the rest. */
export function directCompletions(context: GatewayContext, options: GatewayAppOptions): DirectListener {
  const { maxBodyBytes } = options.server;
  const signIn = createSignIn(context);
  const answer = createCompletionAnswer(context, options);
  const head = Object.entries(securityHeaders('/v1')).flat();

  const routes = (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint): DirectRoute => ({
    route: endpoint,
    path: new RegExp(`^${endpoint}(?:\\?.*)?$`),
    maxBodyBytes,
    hostRules: hostRulesOf(options),
    head,
    signIn: (headers) => signIn.asking(headers),
    answer: ({ exchange, requestId, caller }) =>
      answer(exchange, { endpoint, caller: (caller as Asking).payer, requestId }),
  }));
  return createDirectListener(context.kernel, routes);
}
