import { Code } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import type { SpanOutcome } from '#serve/telemetry/tracer.ts';
import { type CallCode, CODE_NAME } from './code-name.ts';

/** Codes that are errors of the server, according to the semantic conventions; all others are errors of the client. */
const SERVER_ERRORS: ReadonlySet<CallCode> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** The span of a gRPC call. @see https://opentelemetry.io/docs/specs/semconv/rpc/grpc/ */
export function callOutcome(
  { service, method }: Pick<UniversalHandler, 'service' | 'method'>,
  status: CallCode,
  requestId: string,
): SpanOutcome {
  const error = SERVER_ERRORS.has(status) ? CODE_NAME[status] : undefined;
  return {
    name: `${service.typeName}/${method.name}`,
    attributes: {
      'rpc.system': 'grpc',
      'rpc.service': service.typeName,
      'rpc.method': method.name,
      'rpc.grpc.status_code': status,
      'error.type': error,
      'request.id': requestId,
    },
    error,
  };
}
