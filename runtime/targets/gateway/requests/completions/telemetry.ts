import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { Nanos } from '../../shared/money.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import type { Attempt } from '../routing/routing.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';

/** The outcome of a model request, reported once when its usage is recorded. */
export interface CompletionEvent {
  /** Path of the endpoint. */
  readonly endpoint: string;
  readonly requestId: string;
  /** Result of `trace` for the request. */
  readonly trace: RequestTrace | undefined;
  /** The model that answered or failed last, `provider:model`; undefined if none was called. */
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly status: number;
  /** Stable error code; undefined for a success. */
  readonly reason: string | undefined;
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  /** Whether a model without a price answered a request under a budget. */
  readonly unpriced: boolean;
  /** Set if the answer is from the cache. */
  readonly cacheHit?: 'exact' | 'semantic' | undefined;
  readonly attempts: readonly Attempt[];
  readonly streamed: boolean;
  /** Start in milliseconds of the gateway's clock. */
  readonly startedAt: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/** An answer whose client disconnected or whose time limit passed before its first byte. */
export interface AbandonedEvent {
  /** Name of the model, `provider:model`. */
  readonly model: string;
  /** Whether its usage was read or estimated; `failed` if there was nothing to bill. */
  readonly outcome: 'read' | 'estimated' | 'failed';
  /** Usage; undefined if the completion event of the request has it. */
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  readonly unpriced: boolean;
}

/** Metrics and traces of model requests. Never throws, and requests never wait for it. */
export interface Telemetry {
  /** Creates the trace of a request from its headers; undefined if tracing is disabled. */
  trace(headers: HeaderReader): RequestTrace | undefined;
  completed(event: CompletionEvent): void;
  abandoned(event: AbandonedEvent): void;
  /** Counts a rejected credential, by the reason of the error. */
  authFailed(reason: string): void;
  /** Counts an attempt to send an alert. */
  alerted(outcome: 'sent' | 'retried' | 'failed'): void;
  /** Sends the remaining spans, for `limitMs` at most. The default and the maximum are a few seconds. */
  close(limitMs?: number): Promise<void>;
}
