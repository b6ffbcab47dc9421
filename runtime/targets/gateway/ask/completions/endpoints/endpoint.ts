import type { TSchema } from 'typebox';
import type { Payer } from '../../../accounts/identity/identity.ts';
import type { FailedAnswer, ProviderCall, StreamedAnswer, WholeAnswer } from '../../providers/provider.ts';
import type { Resolved, Routed, RouteOptions, Router } from '../../routing/routing.ts';
import type { Json } from '../../shapes/chat.ts';

/** What is asked of a model, without what routing decides. */
export type AskedCall = Omit<ProviderCall, 'wire' | 'model' | 'showModel'>;

type AskedAnswer = WholeAnswer | StreamedAnswer | FailedAnswer;

/** What is particular to a route on which models are asked. */
export interface EndpointRules {
  /** What the gateway looks at; everything else passes through. */
  readonly schema: TSchema;
  /** Whose request it says it is. */
  user(body: Json, caller: Payer): string | undefined;
  /** Likely so many. */
  promptTokens(body: Json): number;
  /** The most that the answer may have, if the request says so; for all answers together where it asks for several. */
  mostOutputTokens(body: Json, assumed: number): number;
  /** Headers of the client that a provider of the same wire is to see. */
  readonly passedOn: readonly string[];
  ask(
    router: Router,
    resolved: Resolved,
    call: AskedCall,
    options: RouteOptions,
  ): Promise<Routed<AskedAnswer>>;
}
