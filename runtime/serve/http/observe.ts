import { durationHistogram } from '../durations.ts';
import type { Kernel } from '../kernel.ts';
import { type Span, type SpanOutcome, boundedText } from '../telemetry/tracer.ts';

/** Facts about a completed request, for logs and metrics. */
interface ObservedRequest {
  readonly requestId: string;
  readonly caller: string | undefined;
  readonly method: string;
  readonly path: string;
  /**
   * Pattern of the path. It is used as a metric label, because callers can choose any number of
   * paths, but there are few patterns.
   */
  readonly route: string;
  readonly status: number;
  /** Time to the first byte of the response. */
  readonly milliseconds: number;
  /** Span of the request; undefined if it is not traced. */
  readonly span?: Span | undefined;
}

export type RequestObserver = (request: ObservedRequest) => void;

/**
 * Logs and measures requests. Requests for `quietPaths`, which monitoring systems poll every few
 * seconds, are logged at debug level.
 */
export function createRequestObserver(kernel: Kernel, quietPaths: ReadonlySet<string>): RequestObserver {
  const durations = durationHistogram(kernel.metrics, {
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests, up to the first byte of the response.',
    labelNames: ['method', 'route', 'status'],
  });
  return (request) => {
    const { requestId, caller, method, path, route, status, milliseconds } = request;
    durations.observe({ method, route, status }, milliseconds / 1000);
    const level = quietPaths.has(path) ? 'debug' : 'info';
    const ms = Math.round(milliseconds * 1000) / 1000;
    kernel.log[level]({ requestId, caller, method, path, status, ms }, 'request');
    request.span?.end(httpOutcome(request));
  };
}

const MAX_PATH_LENGTH = 256;

interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Pattern of the path; `none` if there is no such route. */
  readonly route: string;
  readonly status: number;
}

/** The span of an HTTP request. @internal @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/ */
export function httpOutcome({ requestId, method, path, route, status }: AnsweredRequest): SpanOutcome {
  const isFound = route !== 'none';
  const error = status >= 500 ? String(status) : undefined;
  return {
    name: isFound ? `${method} ${route}` : method,
    attributes: {
      'http.request.method': method,
      'http.route': isFound ? route : undefined,
      'url.path': boundedText(path, MAX_PATH_LENGTH),
      'http.response.status_code': status,
      'error.type': error,
      'request.id': requestId,
    },
    error,
  };
}
