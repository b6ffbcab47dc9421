import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { UnitCounts, AudioCounts } from '../../shared/price.ts';
import type { ChatChunk, Json } from '../shapes/chat.ts';

/** Token counts of a provider. Those of an interrupted stream can be the last ones before its end. */
export interface TokenUsage {
  /** All tokens of the prompt, including cache reads and cache writes; undefined if the provider did not report them. */
  readonly promptTokens: number | undefined;
  /** All tokens of the completion, including reasoning; undefined if the provider did not report them. */
  readonly completionTokens: number | undefined;
  /** Prompt tokens that were read from the provider's cache. */
  readonly cachedTokens: number;
  /** Prompt tokens that were written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** The part of `cacheWriteTokens` that is kept for 1 hour. */
  readonly cacheWrite1hTokens: number;
  /** Completion tokens that are reasoning. */
  readonly reasoningTokens: number;
  readonly units?: UnitCounts | undefined;
  readonly audio?: AudioCounts | undefined;
}

/** Token counts of an answer for billing, reported or estimated. */
export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly units?: UnitCounts | undefined;
  /** Of a request that is about audio. */
  readonly audio?: AudioCounts | undefined;
}

/** Summary of an answer for usage tracking and logs. */
export interface AnswerSummary {
  /** Undefined if the provider did not report it; the tokens are then estimated from `outputLength`. */
  readonly usage: TokenUsage | undefined;
  /**
   * Length of the output that `usage.completionTokens` includes, if it is not all of it: the provider reported this count in the
   * middle of a stream, and the tokens of the rest are estimated. Undefined for a final count.
   */
  readonly countedLength?: number | undefined;
  /** What the answer contains besides tokens of text, if `usage` does not have it. */
  readonly units?: UnitCounts | undefined;
  /** Length of the model's whole output in UTF-16 code units: text, reasoning and arguments of tools. */
  readonly outputLength: number;
  /** The start of this output, of which tokens are counted if the provider does not report them. */
  readonly outputText: string;
  /** Finish reason in the terms of OpenAI's API. */
  readonly finishReason: string | undefined;
  /** Set for an answer that the provider has stored. */
  readonly stored?: StoredAnswerState | undefined;
  /** Ids of what the provider has created with the answer, and what later requests can name, e.g. containers. */
  readonly created?: readonly string[] | undefined;
}

export interface StoredAnswerState {
  readonly id: string;
  /** Whether the provider works on it even without its client. */
  readonly isInBackground: boolean;
  /** Whether it has no result yet. */
  readonly isQueued: boolean;
  /** Ids of what the provider has created with it: messages, calls, containers. */
  readonly items: readonly string[];
}

export interface StreamSummary extends AnswerSummary {
  /**
   * `complete`: the model finished. `aborted`: the client disconnected before that. `incomplete`: the provider's stream broke,
   * stalled or was malformed. `blocked`: a guardrail ended it.
   */
  readonly outcome: 'complete' | 'aborted' | 'incomplete' | 'blocked';
  /** Reason why the stream is incomplete or blocked. */
  readonly error: AppError | undefined;
  /** Milliseconds from the request to the first event with output. */
  readonly firstByteMs: number;
  readonly durationMs: number;
}

/** Translates a provider's events, in order, to the internal format. It keeps the state that it needs between events. */
export type EventDecoder<Chunk = ChatChunk> = (event: string | undefined, data: string) => StreamStep<Chunk>;

export type StreamStep<Chunk = ChatChunk> = (
  | /** An event without content, for example `ping`. */ { readonly kind: 'nothing' }
  | { readonly kind: 'chunks'; readonly chunks: readonly Chunk[] }
  /** The provider's end marker, which can still have content. */
  | { readonly kind: 'end'; readonly chunks?: readonly Chunk[] | undefined }
  | { readonly kind: 'error'; readonly body: unknown }
) & {
  /**
   * Usage that the provider reports in this event, if it is not in the chunks: of the prompt, and of the output up to the end of this
   * event. It counts if the stream is interrupted. In the internal format, not checked.
   */
  readonly usageSoFar?: unknown;
};

/** Writes chunks as events of a client's API. */
export interface EventEncoder {
  encode(chunks: readonly ChatChunk[]): string;
  /** The remaining events after the last chunk; `terminal` is the end marker. */
  end(): { readonly last: string; readonly terminal: string };
}

/** The events of a client's API that the gateway itself generates. */
export interface StreamSyntax {
  /** The marker of a clean end. */
  readonly terminal: string;
  /** An error in the middle of a stream, with everything that must follow it. `last` is the last event that the client got. */
  error(error: StreamError, last: Json | undefined): string;
}

export interface StreamError {
  readonly message: string;
  /** Machine-readable reason, such as `upstream_stream_incomplete`. */
  readonly code: string;
}

/** Checks every piece of text before it is sent. */
export interface StreamGuard {
  /** Takes the next piece of text and returns whether everything taken so far can be sent. */
  take(text: string): Promise<GuardVerdict>;
  /** Returns the verdict on the rest, after the last piece. */
  end(): Promise<GuardVerdict>;
}

export type GuardVerdict =
  /** Everything taken so far can be sent. */
  | { readonly kind: 'pass' }
  /** Not decided yet: everything taken since the last `pass` must be held back. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'block'; readonly error: AppError };

/** Masks events of the client's API before they are checked and sent. */
export interface StreamMask {
  push(events: Uint8Array): Promise<MaskedPiece>;
  /** Masks what is held back. Events can follow. */
  flush(): Promise<MaskedPiece>;
}

export interface MaskedPiece {
  readonly bytes: Uint8Array;
  /** The model's output in these bytes, with each text once. */
  readonly text: string;
  /** Set if the rest must not be sent, because it could not be checked. */
  readonly blocked: AppError | undefined;
}

export interface ForwardOptions {
  readonly clock: Clock;
  /** Called exactly once. The client gets a clean end only after this has resolved. */
  readonly settle: (summary: StreamSummary) => Promise<void>;
  readonly guard?: StreamGuard | undefined;
  readonly mask?: StreamMask | undefined;
  /** Called at the beginning with a function that returns the summary of what was sent until then. */
  readonly onBegin?: ((soFar: () => AnswerSummary) => void) | undefined;
}

/** A stream for the client, in pieces of whole events. It ends when the client's signal is aborted. */
export interface ForwardedStream {
  /** The next piece. Never rejects: the outcome is reported to `settle`. Nothing is read ahead, so a slow client slows the provider. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Discards the rest. Resolves when the usage is settled. */
  cancel(): Promise<void>;
  /** Resolves when the stream was cut off and the client does not read its end, so the connection must be closed. */
  readonly unread: Promise<void>;
  /** Resolves when the stream has ended, for any reason. */
  readonly ended: Promise<void>;
}

/** A stream whose first output has arrived. Exactly one of its functions must be called. */
export interface OpenedStream {
  forward(options: ForwardOptions): ForwardedStream;
  /** Discards the stream. */
  cancel(): void;
}

/** A server-sent event with one line of JSON. */
export function eventText(data: unknown, event?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}

export const DONE_TEXT = 'data: [DONE]\n\n';

export const KEEP_ALIVE_TEXT = ': keepalive\n\n';
