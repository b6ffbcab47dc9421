import type { TSchema } from 'typebox';
import type { Payer } from '../../../accounts/identity/identity.ts';
import type { FailedAnswer, ProviderCall, StreamedAnswer, WholeAnswer } from '../../providers/provider.ts';
import type { Resolved, Routed, RouteOptions, Router } from '../../routing/routing.ts';
import type { Json } from '../../shapes/chat.ts';
import type { StreamSyntax } from '../../streams/stream.ts';

/** A call without the API and the model, which the endpoint and routing select. */
export type ModelCall = Omit<ProviderCall, 'wire' | 'model' | 'showModel'>;

type ModelAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** The specifics of a route that calls models. */
export interface EndpointRules {
  /** Schema of the members that the gateway reads; all others pass through. */
  readonly schema: TSchema;
  /** The user that the request names. */
  user(body: Json, caller: Payer): string | undefined;
  /** The client's own user that the request names, for usage tracking only. `user` is not one of them with the master key. */
  endUser(body: Json): string | undefined;
  /** Estimated number of input tokens; `count` counts those of texts and media in a body. */
  promptTokens(body: Json, count: (body: Json) => number): number;
  /** Maximum number of output tokens of all requested answers together; `assumed` per answer if the request sets no maximum. */
  maxOutputTokens(body: Json, assumed: number): number;
  /** Events of its streams that the gateway writes itself; undefined for a route without streams. */
  readonly syntax?: StreamSyntax | undefined;
  /** Names of client headers that are forwarded to a provider with the same API. */
  readonly forwardedHeaders: readonly string[];
  call(
    router: Router,
    resolved: Resolved,
    call: ModelCall,
    options: RouteOptions,
  ): Promise<Routed<ModelAnswer>>;
}
