import type { Context } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import type { AppError } from '#contract/errors.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';

/** The error format for paths that start with `prefix`, for APIs whose clients expect errors as JSON. */
export interface ErrorFormat {
  /** Path prefix; empty for all paths. */
  readonly prefix: string;
  /** Media type. Default: `application/json`. */
  readonly mediaType?: string;
  /** Overrides the status for clients that expect a different one. Can set headers. */
  readonly status?: (error: AppError, c: Context) => number | undefined;
  readonly body: (error: AppError, status: number, c: Context) => unknown;
}

/**
 * Converts an error to a response in the error format for the path, or with the plain message if
 * the path has no error format.
 */
export function errorResponse(c: Context, error: AppError, formats: readonly ErrorFormat[]): Response {
  const format = formats.find(({ prefix }) => `${c.req.path}/`.startsWith(`${prefix}/`));
  const status = (format?.status?.(error, c) ?? HTTP_STATUS[error.code]) as StatusCode;
  const {
    retryAfterSeconds = (status === 429 && error.code === 'OverloadedError') || status === 503
      ? 1
      : undefined,
  } = error;
  if (retryAfterSeconds !== undefined) {
    c.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  }
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  // The connection is closed, because the rest of this request would be interpreted as the next request.
  if (status === 408) c.header('Connection', 'close');
  // The message can contain text from the caller, which browsers must not interpret as a page.
  c.header('X-Content-Type-Options', 'nosniff');
  c.status(status);
  const body = format ? JSON.stringify(format.body(error, status, c)) : error.message;
  c.header('Content-Type', format ? (format.mediaType ?? 'application/json') : 'text/plain; charset=utf-8');
  return c.body(body);
}
