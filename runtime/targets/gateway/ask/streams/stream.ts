import type { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { ChatChunk, Json } from '../shapes/chat.ts';

/** Tokens as a provider counted them. */
export interface TokenUsage {
  /** All of the prompt, what came from the provider's cache and what was written to it included; undefined if it was not told. */
  readonly promptTokens: number | undefined;
  /** Reasoning included; undefined if it was not told. */
  readonly completionTokens: number | undefined;
  /** The part of the prompt that came from the provider's cache. */
  readonly cachedTokens: number;
  /** The part of the prompt that was written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is kept for 1 hour. */
  readonly cacheWrite1hTokens: number;
  /** The part of the completion that is reasoning. */
  readonly reasoningTokens: number;
}

/** Tokens of an answer for the accounts, counted or estimated. */
export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
}

/** What an answer came to, for accounts and logs. */
export interface AnswerSummary {
  /** Undefined if the provider did not tell; `estimateTokens(outputLength)` is what is left then. */
  readonly usage: TokenUsage | undefined;
  /** UTF-16 code units of all that the model wrote: text, reasoning, arguments of tools. */
  readonly outputLength: number;
  /** In the words of OpenAI's API. */
  readonly finishReason: string | undefined;
}

export interface StreamSummary extends AnswerSummary {
  /**
   * `complete`: the model finished. `aborted`: the client left before that. `incomplete`: the provider's stream was cut,
   * stalled or could not be read. `blocked`: a guardrail ended it.
   */
  readonly outcome: 'complete' | 'aborted' | 'incomplete' | 'blocked';
  /** Why it is incomplete or blocked. */
  readonly error: AppError | undefined;
  /** From the request to the first event that says something; all in milliseconds. */
  readonly firstByteMs: number;
  readonly durationMs: number;
}

/** Events of a provider, one after the other, as the inner shape. Keeps what it needs of those before. */
export type EventDecoder = (event: string | undefined, data: string) => StreamStep;

export type StreamStep =
  /** Nothing to tell, as `ping`. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'chunks'; readonly chunks: readonly ChatChunk[] }
  /** The provider's own word for the end, which may still carry something. */
  | { readonly kind: 'end'; readonly chunks?: readonly ChatChunk[] }
  | { readonly kind: 'error'; readonly body: unknown };

/** Chunks as the events of a client's wire. */
export interface EventEncoder {
  encode(chunks: readonly ChatChunk[]): string;
  /** What is to be said when nothing more comes; the last of it is the sign of the end. */
  end(): { readonly last: string; readonly terminal: string };
}

/** How a client's wire writes what no provider sent. */
export interface StreamWords {
  /** The sign of a clean end. */
  readonly terminal: string;
  /** An error in the middle of a stream, and all that has to follow it; `last` is the last event that the client has. */
  error(error: StreamError, last: Json | undefined): string;
}

export interface StreamError {
  readonly message: string;
  readonly code:
    | 'upstream_stream_incomplete'
    | 'shutting_down'
    | 'guardrail_violation'
    | 'guardrail_unavailable'
    | 'internal_error';
}

/** Told of every piece of text before it goes out. */
export interface StreamGuard {
  /** Whether what was given so far may go out. Text is given in order, each piece once. */
  take(text: string): Promise<GuardVerdict>;
  /** Nothing more comes. */
  end(): Promise<GuardVerdict>;
}

export type GuardVerdict =
  /** Everything given so far may go. */
  | { readonly kind: 'pass' }
  /** Not decided yet: what was given since the last pass has to wait. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'block'; readonly error: AppError };

export interface ForwardOptions {
  readonly clock: Clock;
  /** Called once, whatever happens; a clean end is not told to the client before this has resolved. */
  readonly settle: (summary: StreamSummary) => Promise<void>;
  readonly guard?: StreamGuard | undefined;
}

/** What goes to the client, in pieces of whole events. When the client's signal is aborted, it ends itself. */
export interface ForwardedStream {
  /** Never rejects: how it went is told to `settle`. Nothing is read ahead, so a slow reader slows down the provider. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Nobody wants the rest. Resolves when the accounts are settled. */
  cancel(): Promise<void>;
  /** Resolves when it was cut off and nobody asked for the rest: the client does not read, and is to be hung up on. */
  readonly unread: Promise<void>;
  /** Resolves when it has ended, in whatever way. */
  readonly ended: Promise<void>;
}

/** An answer that has begun well. Exactly one of its functions must be called. */
export interface OpenedStream {
  forward(options: ForwardOptions): ForwardedStream;
  /** Nobody wants it. */
  cancel(): void;
}
