import { membersOf } from '../../../../core/json/members-of.ts';
import { readTraceParent } from '../../../../serve/telemetry/trace-context.ts';
import type { RpcMessage } from '../rpc-message.ts';

/** Values that HTTP headers can carry, of the length that every receiver must accept. */
const STATE = /^[\x20-\x7e]{1,512}$/;

/** Repeats the trace context in `_meta` of a request as headers, for servers and proxies that only trace HTTP. */
export function traceHeaders({ params }: RpcMessage): Record<string, string> {
  const { traceparent, tracestate } = membersOf(membersOf(params)['_meta']);
  if (typeof traceparent !== 'string' || !readTraceParent(traceparent)) return {};
  return {
    traceparent,
    ...(typeof tracestate === 'string' && STATE.test(tracestate) ? { tracestate } : {}),
  };
}
