import type { RequestTrace } from '#serve/telemetry/request-trace.ts';
import type { Nanos } from '../../shared/money.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import type { Attempt } from '../routing/routing.ts';
import type { CountedTokens } from '../../providers/streams/stream.ts';

/** The outcome of a model request, reported once when its usage is recorded. */
export interface CompletionEvent {
  /** Endpoint path. */
  readonly endpoint: string;
  readonly requestId: string;
  /** The trace that `trace` returned for the request. */
  readonly trace: RequestTrace | undefined;
  /**
   * The model that responded or, if none did, failed last, as `provider:model`; undefined if no model was
   * called.
   */
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly status: number;
  /** Stable error code; undefined if successful. */
  readonly reason: string | undefined;
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  /** Whether a model without a price responded to a request under a budget. */
  readonly unpriced: boolean;
  /** Set for cached responses. */
  readonly cacheHit?: 'exact' | 'semantic' | undefined;
  readonly attempts: readonly Attempt[];
  readonly streamed: boolean;
  /** Start in milliseconds on the gateway's clock. */
  readonly startedAt: number;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
}

/**
 * A response that was abandoned, because the client disconnected or the time limit expired before its first
 * byte.
 */
export interface AbandonedEvent {
  /** Model name, `provider:model`. */
  readonly model: string;
  /** Whether the usage was read from the response or estimated; `failed` if there was nothing to bill. */
  readonly outcome: 'read' | 'estimated' | 'failed';
  /** Usage; undefined if the request's completion event already includes it. */
  readonly usage: CountedTokens | undefined;
  readonly cost: Nanos | undefined;
  readonly unpriced: boolean;
}

/** A call of a tool of an MCP server. */
export interface ToolCallEvent {
  /** Label of the server. */
  readonly server: string;
  /**
   * `error`: the tool reported an error. `failed`: the server was unavailable, too slow or rejected the call.
   * `canceled`: the client disconnected, or the time for the whole request was over.
   */
  readonly outcome: 'success' | 'error' | 'failed' | 'canceled';
  readonly durationMs: number;
}

/** Metrics and traces of model requests. The functions never throw, and requests never wait for them. */
export interface Telemetry {
  /** Creates a request's trace from its headers; undefined if tracing is disabled. */
  trace(headers: HeaderReader): RequestTrace | undefined;
  completed(event: CompletionEvent): void;
  abandoned(event: AbandonedEvent): void;
  toolCalled(event: ToolCallEvent): void;
  /** Counts a rejected credential, by error reason. */
  authFailed(reason: string): void;
  /** Counts an attempt to deliver an alert. */
  alerted(outcome: 'sent' | 'retried' | 'failed'): void;
  /**
   * Sends the remaining spans, which takes at most `limitMs`. The default, which is also the maximum, is a
   * few seconds.
   */
  close(limitMs?: number): Promise<void>;
}
