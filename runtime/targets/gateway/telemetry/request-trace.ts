import { randomBytes } from 'node:crypto';
import { readTraceParent, traceParentText } from './trace-context.ts';
import type { HeaderReader } from '../accounts/identity/identity.ts';
import type { RequestTrace } from '../ask/completions/telemetry.ts';

/** Maximum length of a `tracestate` to pass on. A longer one is dropped, which the specification allows. */
const MAX_STATE_LENGTH = 512;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/**
 * Creates the trace of a request. With a `traceparent`, it continues the client's trace and its sampling decision; otherwise the
 * share `sampled` of requests is sampled.
 */
export function traceOf(headers: HeaderReader, sampled: number, random: () => number): RequestTrace {
  const header = headers.get('traceparent');
  const parent = header ? readTraceParent(header) : undefined;
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
      ...(state && state.length <= MAX_STATE_LENGTH ? { tracestate: state } : {}),
    },
  };
}

export const newSpanId = (): string => newId(SPAN_ID_BYTES);

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');
