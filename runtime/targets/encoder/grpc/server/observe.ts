import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '#gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '#gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { durationHistogram } from '#serve/durations.ts';
import type { Kernel } from '#serve/kernel.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from '#serve/http/request-head.ts';
import { nodeHeaders } from '#serve/telemetry/request-trace.ts';
import type { SpanOutcome } from '#serve/telemetry/tracer.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A call whose outcome and duration will be logged and measured. */
export interface ObservedCall {
  /** Fields of every log line about the call. */
  readonly about: { readonly requestId: string; readonly method: string };
  /** Reports the outcome of the call. Only the first report counts; later events do not change the response. */
  readonly end: (code: CallCode) => void;
  /** Runs the call's handler within its span. */
  readonly run: <Result>(handle: () => Result) => Result;
}

/** The observed call, for the code that determines its outcome. */
export const observedCall = createContextKey<ObservedCall | undefined>(undefined);

/** Services that monitoring systems call every few seconds. Their calls are logged at debug level. */
const QUIET = new Set([Health, ServerReflection, ServerReflectionAlpha].map(({ typeName }) => typeName));

export type ObservingKernel = Pick<Kernel, 'log' | 'metrics' | 'tracer'>;

type Observe = (
  request: NodeRequest,
  response: NodeResponse,
  handler: UniversalHandler | undefined,
) => ObservedCall;

/**
 * Assigns an id to every call, and logs and measures it when it ends. Calls without a handler are
 * calls to unknown methods.
 */
export function callObserver({ log, metrics, tracer }: ObservingKernel): Observe {
  const durations = durationHistogram(metrics, {
    name: 'grpc_request_duration_seconds',
    help: 'Duration of gRPC, gRPC-Web and Connect calls until the status is sent.',
    labelNames: ['method', 'code'],
  });
  return (request, response, handler) => {
    const start = performance.now();
    const requestId = requestIdFrom(request.headers[REQUEST_ID_HEADER.toLowerCase()]);
    response.setHeader(REQUEST_ID_HEADER, requestId);
    const about = { requestId, method: pathOf(request) };
    const isQuiet = handler !== undefined && QUIET.has(handler.service.typeName);
    const level = isQuiet ? 'debug' : 'info';
    const traced = isQuiet ? undefined : handler;
    const span = traced && tracer?.startServer(nodeHeaders(request.headers));
    let ended = false;
    return {
      about,
      run: (handle) => (span ? span.run(handle) : handle()),
      end(status) {
        if (ended) return;
        ended = true;
        const ms = performance.now() - start;
        const code = CODE_NAME[status];
        // Callers can choose any path, so the number of paths is unlimited. The number of methods is small.
        durations.observe({ method: handler?.requestPath ?? 'none', code }, ms / 1000);
        log[level]({ ...about, code, ms: Number(ms.toFixed(3)) }, 'call');
        if (traced) span?.end(callOutcome(traced, status, requestId));
      },
    };
  };
}

/**
 * Ends the observed call when its status is determined. In every protocol, this is when Connect
 * aborts the signal of the call. Must be called before the message is read, and after other
 * listeners that change the error have been added.
 */
export function observeEnd({ signal, values }: HandlerContext): void {
  const end = (): void => values.get(observedCall)?.end(codeOf(signal.reason));
  // The deadline may have expired before the call started.
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}

function codeOf(reason: unknown): CallCode {
  if (reason instanceof ConnectError) return reason.code;
  // If Connect aborts the signal without a reason, the call has succeeded, and the reason is the
  // platform's default.
  return reason instanceof DOMException ? OK : Code.Internal;
}

/** Codes that count as server errors according to the semantic conventions; all others are client errors. */
const SERVER_ERRORS: ReadonlySet<CallCode> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** The span of a gRPC call. @see https://opentelemetry.io/docs/specs/semconv/rpc/grpc/ */
function callOutcome(
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

/** Outcome of a call. Connect has no code for success. */
type CallCode = Code | typeof OK;
const OK = 0;

/** gRPC's own names: https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
const CODE_NAME: Record<CallCode, string> = {
  [OK]: 'OK',
  [Code.Canceled]: 'CANCELLED',
  [Code.Unknown]: 'UNKNOWN',
  [Code.InvalidArgument]: 'INVALID_ARGUMENT',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
  [Code.NotFound]: 'NOT_FOUND',
  [Code.AlreadyExists]: 'ALREADY_EXISTS',
  [Code.PermissionDenied]: 'PERMISSION_DENIED',
  [Code.ResourceExhausted]: 'RESOURCE_EXHAUSTED',
  [Code.FailedPrecondition]: 'FAILED_PRECONDITION',
  [Code.Aborted]: 'ABORTED',
  [Code.OutOfRange]: 'OUT_OF_RANGE',
  [Code.Unimplemented]: 'UNIMPLEMENTED',
  [Code.Internal]: 'INTERNAL',
  [Code.Unavailable]: 'UNAVAILABLE',
  [Code.DataLoss]: 'DATA_LOSS',
  [Code.Unauthenticated]: 'UNAUTHENTICATED',
};

/** Requests and responses of HTTP/1.1 and HTTP/2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

export const pathOf = ({ url = '' }: NodeRequest): string => url.split('?', 1)[0] ?? '';
