import { boundedText } from './bounded-text.ts';
import type { SpanOutcome } from './tracer.ts';

const MAX_PATH_LENGTH = 256;

interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Pattern of the path; `none` if there is no such route. */
  readonly route: string;
  readonly status: number;
}

/** The span of an HTTP request. @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/ */
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
