import type { PlainValue } from './otlp.ts';
import type { ContextReader, RequestTrace } from './request-trace.ts';

/**
 * Traces a server's requests. If tracing is disabled, a server has no tracer, so the only overhead
 * is one check per request.
 */
export interface Tracer {
  /**
   * Starts the span for a client's request. It continues the trace in the carrier; without one, it
   * is a child of the current span, or starts a new trace.
   */
  readonly startServer: (carrier: ContextReader) => Span;
  /** Starts the span for a call on behalf of the current request; undefined outside a request. */
  readonly startClient: () => Span | undefined;
  /**
   * Runs work that outlives the current request outside of the request's trace. Calls within this
   * work have no spans.
   */
  readonly runOutside: <Result>(work: () => Result) => Result;
  /** Records steps of the current request. Steps can overlap. */
  readonly recordSteps: (steps: readonly TraceStep[]) => void;
  /** Sends the remaining spans, for `limitMs` at most. The default and the maximum are a few seconds. */
  readonly close: (limitMs?: number) => Promise<void>;
}

/** A span that has not ended. */
export interface Span {
  readonly trace: RequestTrace;
  /** Runs the span's work. The span is the current one until the returned promise settles. */
  readonly run: <Result>(work: () => Result) => Result;
  /** Ends the span and records it. */
  readonly end: (outcome: SpanOutcome) => void;
}

export interface SpanOutcome {
  readonly name: string;
  readonly attributes: Readonly<Record<string, PlainValue>>;
  /** Description of the failure; undefined for a success, and for client errors in a server span. */
  readonly error?: string | undefined;
}

/** A step of a request. */
export interface TraceStep {
  readonly name: string;
  /** Milliseconds since the step started. */
  readonly startedAgo: number;
  /** Milliseconds since the step ended. */
  readonly endedAgo: number;
  readonly attributes?: SpanOutcome['attributes'];
}

/**
 * Limits the length of a text that a client has chosen. The result is a copy: a slice would keep
 * the whole long text in memory until the span is sent.
 */
export const boundedText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString();
