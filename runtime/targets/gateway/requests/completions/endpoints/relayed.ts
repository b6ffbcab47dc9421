import type { TSchema } from 'typebox';
import type { RelayRoute } from '../../../providers/adapters/relay-route.ts';
import type { EndpointRules } from './endpoint.ts';
import { promptTokensIn, textOr } from './tokens.ts';

/** The rules of a route whose requests and answers pass through unchanged, and which has no output tokens by default. */
export const relayed = (
  route: RelayRoute,
  schema: TSchema,
  maxOutputTokens: EndpointRules['maxOutputTokens'] = () => 0,
): EndpointRules => ({
  schema,
  user: (body) => textOr(body['user']),
  endUser: () => undefined,
  promptTokens: promptTokensIn,
  maxOutputTokens,
  forwardedHeaders: [],
  call: (router, resolved, call, options) => router.relay(resolved, { ...call, route }, options),
});
