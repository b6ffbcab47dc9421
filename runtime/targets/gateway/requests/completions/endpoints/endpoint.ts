import type { TSchema } from 'typebox';
import type { FormFile } from '../../../shared/form.ts';
import type { Payer } from '../../../accounts/identity/identity.ts';
import type {
  FailedAnswer,
  ProviderCall,
  StreamedAnswer,
  WholeAnswer,
} from '../../../providers/adapters/provider.ts';
import type { Resolved, Routed, RouteOptions, Router } from '../../routing/routing.ts';
import type { AudioCounts } from '../../../shared/audio-price.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { Passed } from '../../../providers/shapes/passed.ts';
import type { StreamSyntax } from '../../../providers/streams/stream.ts';

/** A call without the API and the model, which the endpoint and routing select. */
export interface ModelCall extends Omit<ProviderCall, 'wire' | 'model' | 'showModel'> {
  readonly files?: readonly FormFile[] | undefined;
}

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
  maxOutputTokens(body: Json, assumed: number, audioSeconds?: number): number;
  /** The field of a file, for a route whose requests are forms. */
  readonly fileField?: string | undefined;
  /** Whether prices of audio apply. */
  readonly isAudio?: boolean | undefined;
  /** What of a request is audio; a file has about this length. */
  audio?(body: Json, fileSeconds: number): AudioCounts;
  /** Events of its streams that the gateway writes itself; undefined for a route without streams. */
  readonly syntax?: StreamSyntax | undefined;
  /** Names of client headers that are forwarded to a provider with the same API. */
  readonly forwardedHeaders: readonly string[];
  call(
    router: Router,
    resolved: Resolved,
    call: Passed<ModelCall>,
    options: RouteOptions,
  ): Promise<Routed<ModelAnswer>>;
}
