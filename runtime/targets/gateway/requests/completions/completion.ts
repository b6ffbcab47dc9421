import type { AppError } from '#contract/errors.ts';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import type { FormFile } from '#serve/http/form.ts';
import type { HeaderReader, Payer, Spender } from '../../accounts/identity/identity.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';
import type { Attempt } from '../routing/routing.ts';

/** Routes that call models. */
export type Endpoint =
  | '/v1/chat/completions'
  | '/v1/messages'
  | '/v1/responses'
  | '/v1/embeddings'
  | '/v1/classify'
  | '/v1/completions'
  | '/v1/moderations'
  | '/v1/rerank'
  | '/v1/images/generations'
  | '/v1/audio/transcriptions'
  | '/v1/audio/translations'
  | '/v1/audio/speech'
  | '/v1beta/models/{model}:generateContent'
  | '/v1beta/models/{model}:streamGenerateContent'
  | '/v1beta/models/{model}:embedContent'
  | '/v1beta/models/{model}:batchEmbedContents';

/** Request members that are specified in the path instead of the body. */
export interface PathMembers {
  readonly model: string;
  /** Whether to stream, as specified by the path; undefined if the body specifies it. */
  readonly stream?: boolean | undefined;
}

/** Notes about a request whose response can be sent again to the same client. */
export interface ReplayNotes {
  /** A model has responded, so the request is billed. */
  billed(spender: Spender): void;
  /** The response contains values that guardrails have masked in the request. */
  restored(): void;
  /** The response is sent piece by piece. */
  streamed(): void;
}

export interface CompletionRequest {
  readonly endpoint: Endpoint;
  readonly caller: Payer;
  /**
   * Authenticates the request's credential again, because the request can have waited since. Rejects once the
   * credential has expired or was revoked. Undefined for requests by the gateway itself.
   */
  readonly callerAgain?: (() => Promise<Payer>) | undefined;
  /** The unparsed body. */
  readonly bytes: Uint8Array;
  /** The file in a form request; `bytes` contains the other fields as JSON. */
  readonly file?: FormFile | undefined;
  readonly inPath?: PathMembers | undefined;
  readonly headers: HeaderReader;
  /** Tracks the memory that the request uses. */
  readonly hold: ByteHold;
  readonly requestId: string;
  /** Start of the request in milliseconds since 1970. */
  readonly startedAt: number;
  /** Aborted when the client disconnects or, with an AppError as the reason, when the gateway cannot continue. */
  readonly signal: AbortSignal;
  /** Sets a header of the response, which can be a success or an error. */
  readonly setHeader: (name: string, value: string) => void;
  /** Undefined unless the response is kept for retries. */
  readonly replay?: ReplayNotes | undefined;
  /**
   * Called when a streaming request has been admitted and the model is being called. From then on, the
   * response can start with comments, and errors are sent as events formatted by `errorText`.
   */
  readonly onStreamPending?: ((errorText: (error: AppError) => string) => void) | undefined;
  /** Called with the cost in nano-dollars when the usage is recorded; undefined for a model without a price. */
  readonly onCost?: ((cost: bigint | undefined) => void) | undefined;
}

/** A model's response, for a response with status 200. */
export type CompletionAnswer =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array; readonly type?: string | undefined }
  /**
   * Server-sent events, or bytes of another type. The stream must be read or canceled; it also ends when the
   * signal is aborted.
   */
  | { readonly kind: 'stream'; readonly events: ForwardedStream; readonly type?: string | undefined };

/** Response header with the types of the tools that were dropped. */
export const DROPPED_HEADER = 'X-Gateway-Dropped-Tools';

/**
 * Handles every model request: identifies the payer, reserves the maximum cost, calls a model and settles
 * the actual cost. Throws an AppError for requests that are rejected or fail before the first byte; these
 * requests have already been settled.
 */
export interface Completions {
  answer(request: CompletionRequest): Promise<CompletionAnswer>;
  /** The requests in flight in this process, oldest first. */
  readonly live: () => readonly LiveRequest[];
}

/** A request in flight. */
export interface LiveRequest {
  readonly requestId: string;
  readonly endpoint: string;
  /** Start in milliseconds since 1970. */
  readonly startedAt: number;
  /** Undefined until the request is admitted. */
  readonly userId: string | undefined;
  readonly keyId: string | undefined;
  readonly teamId: string | undefined;
  /** The model that responds; undefined until a model has started to respond. */
  readonly model: string | undefined;
  /** Finished attempts. */
  readonly attempts: readonly Attempt[];
}
