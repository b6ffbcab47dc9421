import { randomBytes } from 'node:crypto';
import { readTraceParent, traceParentText } from './trace-context.ts';
import type { HeaderReader } from '../accounts/identity/identity.ts';
import type { RequestTrace } from '../ask/completions/telemetry.ts';

/** More than anybody needs to send along; what is longer is left out, as the recommendation allows. */
const MOST_STATE = 512;
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/**
 * The request's own span, below the client's if it told one, which then decides whether it is seen; of all others a share of
 * `sampled` is.
 */
export function traceOf(headers: HeaderReader, sampled: number, random: () => number): RequestTrace {
  const told = headers.get('traceparent');
  const parent = told ? readTraceParent(told) : undefined;
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
      ...(state && state.length <= MOST_STATE ? { tracestate: state } : {}),
    },
  };
}

export const newSpanId = (): string => newId(SPAN_ID_BYTES);

const newId = (bytes: number): string => randomBytes(bytes).toString('hex');
