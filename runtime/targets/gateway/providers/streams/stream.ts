import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { UnitCounts, AudioCounts } from '../../shared/price.ts';
import type { ChatChunk, Json } from '../shapes/chat.ts';

/**
 * Token counts from a provider. For an interrupted stream, they can be the last counts that the provider
 * reported.
 */
export interface TokenUsage {
  /** All prompt tokens, including cache reads and writes; undefined if the provider did not report them. */
  readonly promptTokens: number | undefined;
  /** All completion tokens, including reasoning; undefined if the provider did not report them. */
  readonly completionTokens: number | undefined;
  /** Prompt tokens read from the provider's cache. */
  readonly cachedTokens: number;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is cached for 1 hour. */
  readonly cacheWrite1hTokens: number;
  /** Completion tokens used for reasoning. */
  readonly reasoningTokens: number;
  readonly units?: UnitCounts | undefined;
  readonly audio?: AudioCounts | undefined;
}

/** A response's token counts for billing, reported or estimated. */
export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly units?: UnitCounts | undefined;
  /** Only for audio requests. */
  readonly audio?: AudioCounts | undefined;
}

/** Summary of a response for usage tracking and logs. */
export interface AnswerSummary {
  /** Undefined if the provider did not report any usage; the tokens are then estimated from the output. */
  readonly usage: TokenUsage | undefined;
  /**
   * Length of the output that `usage.completionTokens` covers, if the provider reported this count in the
   * middle of a stream; the tokens of the remaining output are estimated. Undefined for a final count.
   */
  readonly countedLength?: number | undefined;
  /** What the response contains in addition to text tokens, if it is not included in `usage`. */
  readonly units?: UnitCounts | undefined;
  /** Length of the model's whole output in UTF-16 code units: text, reasoning and tool arguments. */
  readonly outputLength: number;
  /** The start of the output. Its tokens are counted if the provider does not report any. */
  readonly outputText: string;
  /** The finish reason, with its name in OpenAI's API. */
  readonly finishReason: string | undefined;
  /** Set for a response stored by the provider. */
  readonly stored?: StoredAnswerState | undefined;
  /**
   * IDs of the objects that the provider created along with the response and that later requests can refer
   * to, e.g. containers.
   */
  readonly created?: readonly string[] | undefined;
}

export interface StoredAnswerState {
  readonly id: string;
  /** Whether the provider continues to work on the response if the client disconnects. */
  readonly isInBackground: boolean;
  /** Whether the response has no result yet. */
  readonly isQueued: boolean;
  /** IDs of the objects that the provider created along with the response: messages, calls, containers. */
  readonly items: readonly string[];
}

export interface StreamSummary extends AnswerSummary {
  /**
   * `complete`: the model finished. `aborted`: the client disconnected before the model finished.
   * `incomplete`: the provider's stream broke, stalled or was malformed. `blocked`: a guardrail blocked the
   * stream.
   */
  readonly outcome: 'complete' | 'aborted' | 'incomplete' | 'blocked';
  /** Why the stream is incomplete or blocked. */
  readonly error: AppError | undefined;
  /** Milliseconds from the request to the first event with output. */
  readonly firstByteMs: number;
  readonly durationMs: number;
}

/**
 * Translates a provider's events, in order, to the internal format. The decoder keeps the state that it
 * needs between events.
 */
export type EventDecoder<Chunk = ChatChunk> = (event: string | undefined, data: string) => StreamStep<Chunk>;

export type StreamStep<Chunk = ChatChunk> = (
  | /** An event without content, for example `ping`. */ { readonly kind: 'nothing' }
  | { readonly kind: 'chunks'; readonly chunks: readonly Chunk[] }
  /** The provider's end marker, whose event can also contain content. */
  | { readonly kind: 'end'; readonly chunks?: readonly Chunk[] | undefined }
  | { readonly kind: 'error'; readonly body: unknown }
) & {
  /**
   * Usage that the provider reports in this event outside of the chunks: for the prompt, and for the output
   * up to the end of this event. It is used if the stream is interrupted. It is in the internal format but
   * has not been validated.
   */
  readonly usageSoFar?: unknown;
};

/** Writes chunks as events of a client's API. */
export interface EventEncoder {
  encode(chunks: readonly ChatChunk[]): string;
  /** Returns the remaining events after the last chunk; `terminal` is the end marker. */
  end(): { readonly last: string; readonly terminal: string };
}

/** Events that the gateway itself generates, in the format of a client API. */
export interface StreamSyntax {
  /** The marker for a clean end. */
  readonly terminal: string;
  /**
   * An error in the middle of a stream, and everything that must follow the error. `last` is the last event
   * that the client received.
   */
  error(error: StreamError, last: Json | undefined): string;
}

export interface StreamError {
  readonly message: string;
  /** Machine-readable reason, such as `upstream_stream_incomplete`. */
  readonly code: string;
}

/** Checks every piece of text before it is sent. */
export interface StreamGuard {
  /** Receives the next piece of text and returns whether everything received so far can be sent. */
  take(text: string): Promise<GuardVerdict>;
  /** Called after the last piece. Returns the verdict on the text that has not been judged yet. */
  end(): Promise<GuardVerdict>;
}

export type GuardVerdict =
  /** Everything received so far can be sent. */
  | { readonly kind: 'pass' }
  /** No decision yet: everything received since the last `pass` must be held back. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'block'; readonly error: AppError };

/** Masks events in the client API's format before they are checked and sent. */
export interface StreamMask {
  push(events: Uint8Array): Promise<MaskedPiece>;
  /** Masks and returns everything that is held back. More events can follow. */
  flush(): Promise<MaskedPiece>;
}

export interface MaskedPiece {
  readonly bytes: Uint8Array;
  /** The model's output in these bytes, in which repeated texts are included only once. */
  readonly text: string;
  /** Set if the rest of the stream must not be sent, because it could not be checked. */
  readonly blocked: AppError | undefined;
}

export interface ForwardOptions {
  readonly clock: Clock;
  /**
   * Called exactly once, when the stream ends. The client only receives the end marker after the returned
   * promise has resolved.
   */
  readonly settle: (summary: StreamSummary) => Promise<void>;
  readonly guard?: StreamGuard | undefined;
  readonly mask?: StreamMask | undefined;
  /** Called at the beginning, with a function that returns the summary of everything sent so far. */
  readonly onBegin?: ((soFar: () => AnswerSummary) => void) | undefined;
}

/** A stream for the client, in chunks of whole events. It ends when the client's signal is aborted. */
export interface ForwardedStream {
  /**
   * Returns the next chunk. Never rejects, because the outcome is reported to `settle`. Nothing is read
   * ahead, so a slow client slows down the provider.
   */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Discards the rest. Resolves when the usage is settled. */
  cancel(): Promise<void>;
  /**
   * Resolves if the stream was cut off and the client does not read its end, in which case the connection
   * must be closed.
   */
  readonly unread: Promise<void>;
  /** Resolves when the stream has ended, for any reason. */
  readonly ended: Promise<void>;
}

/** A stream whose first output has arrived. Exactly one of its functions must be called. */
export interface OpenedStream {
  forward(options: ForwardOptions): ForwardedStream;
  /** Discards the stream without forwarding it. */
  cancel(): void;
}

/** A server-sent event with one line of JSON. */
export function eventText(data: unknown, event?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}

export const DONE_TEXT = 'data: [DONE]\n\n';

export const KEEP_ALIVE_TEXT = ': keepalive\n\n';
