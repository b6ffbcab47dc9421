import type { HeaderReader, Payer } from '../../accounts/identity/identity.ts';
import type { ForwardedStream } from '../streams/stream.ts';

/** Routes on which models are asked. */
export type Endpoint =
  | '/v1/chat/completions'
  | '/v1/messages'
  | '/v1/responses'
  | '/v1/embeddings'
  | '/v1/classify';

export interface CompletionRequest {
  readonly endpoint: Endpoint;
  readonly caller: Payer;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  readonly headers: HeaderReader;
  readonly requestId: string;
  /** By the clock of the gateway. */
  readonly startedAt: number;
  /** Aborted when the client leaves; with an AppError as its reason where the gateway itself cannot go on. */
  readonly signal: AbortSignal;
  /** Told of headers that the answer is to have, whether it is one of success or an error. */
  readonly setHeader: (name: string, value: string) => void;
}

/** What a model answered; its status is 200. */
export type CompletionAnswer =
  | { readonly kind: 'whole'; readonly json: Uint8Array }
  /** Server-sent events. Somebody has to read or cancel it; it also ends when the signal is aborted. */
  | { readonly kind: 'stream'; readonly events: ForwardedStream };

/**
 * From a request to what a model says of it, whichever way it came in: who pays, what it may cost, who answers, what it did
 * cost. Throws an AppError for everything that is refused or fails before the first byte; by then the accounts are settled.
 */
export interface Completions {
  answer(request: CompletionRequest): Promise<CompletionAnswer>;
}
