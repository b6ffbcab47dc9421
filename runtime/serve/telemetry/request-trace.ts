import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The trace context of a request. @see https://www.w3.org/TR/trace-context/ */
export interface RequestTrace {
  readonly traceId: string;
  /** Id of the request's own span. */
  readonly spanId: string;
  /** Id of the client's span; undefined if it sent none. */
  readonly parentId: string | undefined;
  /** Whether spans are sent. This decision is passed to servers that are called on behalf of the request. */
  readonly sampled: boolean;
  /**
   * Headers for servers that are called on behalf of the request: `traceparent`, and the client's
   * `tracestate`.
   */
  readonly headers: TraceHeaders;
}

/** A trace context that this program wrote, so that it is valid in HTTP headers. */
export interface TraceHeaders extends Readonly<Record<string, string>> {
  readonly traceparent: string;
}

/** Reads the fields of a trace context from headers or from another carrier. */
export interface ContextReader {
  get(name: string): string | null | undefined;
}

/**
 * Returns the `tracestate` to pass on if it is a valid header with a length that every receiver
 * must accept. Otherwise, it is dropped, which the specification allows.
 */
const STATE = /^[\x20-\x7e]{1,512}$/;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/**
 * Creates a request's trace. With a `traceparent`, it continues the client's trace and its sampling
 * decision; otherwise, `sampled` is the share of requests that are sampled.
 */
export function traceOf(headers: ContextReader, sampled: number, random: () => number): RequestTrace {
  const parent = parentIn(headers);
  const own = {
    traceId: parent?.traceId ?? newId(TRACE_ID_BYTES),
    spanId: newSpanId(),
    sampled: parent?.sampled ?? random() < sampled,
  };
  const state = parent && headers.get('tracestate');
  return {
    ...own,
    parentId: parent?.spanId,
    headers: {
      traceparent: traceParentText(own),
      ...(state && STATE.test(state) ? { tracestate: state } : {}),
    },
  };
}

/** The client's span; undefined if the carrier has no valid `traceparent`. */
export function parentIn(carrier: ContextReader): TraceParent | undefined {
  const header = carrier.get('traceparent');
  return header ? readTraceParent(header) : undefined;
}

/** Creates the trace of a span within a request. */
export function childTrace(parent: RequestTrace): RequestTrace {
  const { traceId, sampled } = parent;
  const spanId = newSpanId();
  const headers = { ...parent.headers, traceparent: traceParentText({ traceId, spanId, sampled }) };
  return { traceId, spanId, parentId: parent.spanId, sampled, headers };
}

export const newSpanId = (): string => newId(SPAN_ID_BYTES);

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Reads a trace context from the headers of Node's requests, of either HTTP version. */
export const nodeHeaders = (headers: IncomingHttpHeaders): ContextReader => ({
  get: (name) => headers[name]?.toString(),
});

/**
 * The client's span.
 *
 * @see https://www.w3.org/TR/trace-context/
 */
interface TraceParent {
  /** 32 lowercase hexadecimal digits. */
  readonly traceId: string;
  /** 16 lowercase hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const FORBIDDEN_VERSION = 'ff';
const SAMPLED = 1;

/**
 * Parses a traceparent header. Returns undefined if it is invalid; a new trace is then started.
 * Later versions can append fields. @internal
 */
export function readTraceParent(header: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(header.trim()) ?? [];
  if (version === undefined || version === FORBIDDEN_VERSION) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** @internal Exported for tests only. */
export const traceParentText = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

const isZero = (digits: string): boolean => /^0+$/.test(digits);
