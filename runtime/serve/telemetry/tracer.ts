import type { PlainValue } from './otlp.ts';
import type { ContextReader, RequestTrace } from './request-trace.ts';

/** Traces the requests of a server. Without traces, a server has no tracer, and requests cost one check. */
export interface Tracer {
  /**
   * Starts the span of a request of a client. It continues the trace in the carrier; without one, it is a child of the current
   * span, or starts a new trace.
   */
  readonly startServer: (carrier: ContextReader) => Span;
  /** Starts the span of a call that is made on behalf of the current request; undefined outside of requests. */
  readonly startClient: () => Span | undefined;
  /** Runs work outside of the current request, for work that continues after it. Calls within it have no spans. */
  readonly runOutside: <Result>(work: () => Result) => Result;
  /** Records steps of the current request. They can overlap. */
  readonly recordSteps: (steps: readonly TraceStep[]) => void;
  /** Sends the remaining spans, for `limitMs` at most. The default and the maximum are a few seconds. */
  readonly close: (limitMs?: number) => Promise<void>;
}

/** A span that has not ended. */
export interface Span {
  readonly trace: RequestTrace;
  /** Runs work of the span, which is its current span until the returned promise is settled. */
  readonly run: <Result>(work: () => Result) => Result;
  /** Ends the span and records it. */
  readonly end: (outcome: SpanOutcome) => void;
}

export interface SpanOutcome {
  readonly name: string;
  readonly attributes: Readonly<Record<string, PlainValue>>;
  /** Description of the failure; undefined for a success, and for errors that the client of a server span made. */
  readonly error?: string | undefined;
}

/** A step of a request. */
export interface TraceStep {
  readonly name: string;
  /** Milliseconds since its start. */
  readonly startedAgo: number;
  /** Milliseconds since its end. */
  readonly endedAgo: number;
  readonly attributes?: SpanOutcome['attributes'];
}

/**
 * Limits a text that a client chose. The result is a copy: a slice of a long text would keep all of it in memory until the span is
 * sent.
 */
export const boundedText = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength)).toString();
