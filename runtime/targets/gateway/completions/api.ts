import type { Caller, HeaderReader } from '../identity/api.ts';

/** Routes on which models are asked. */
export type Endpoint =
  | '/v1/chat/completions'
  | '/v1/messages'
  | '/v1/responses'
  | '/v1/embeddings'
  | '/v1/classify';

export interface CompletionRequest {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  readonly headers: HeaderReader;
  readonly requestId: string;
  /** By the clock of the gateway. */
  readonly startedAt: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** What a model answered; its status is 200. */
export interface CompletionAnswer {
  /** In lower case, the content type among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

/**
 * From a request to what a model says of it, whichever way it came in: who pays, what it may cost, who answers, what it did
 * cost. Throws an AppError for everything that is refused or fails before the first byte; by then the accounts are settled.
 */
export interface Completions {
  answer(request: CompletionRequest): Promise<CompletionAnswer>;
}
