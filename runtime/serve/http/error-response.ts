import type { Context } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import type { AppError } from '../../contract/errors.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';

/** Paths that begin with `prefix` answer errors as JSON, because the clients of that API expect it. */
export interface ErrorFormat {
  /** Empty for all paths. */
  readonly prefix: string;
  /** `application/json` unless said otherwise. */
  readonly mediaType?: string;
  readonly body: (error: AppError, status: number, c: Context) => unknown;
}

/** An error as an answer: the bare message as text, or what the path's own format makes of it. */
export function errorResponse(c: Context, error: AppError, formats: readonly ErrorFormat[]): Response {
  const status = HTTP_STATUS[error.code] as StatusCode;
  const { retryAfterSeconds = status === 429 || status === 503 ? 1 : undefined } = error;
  if (retryAfterSeconds !== undefined) {
    c.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))));
  }
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  // What is left of the request would be taken for the next one.
  if (status === 408) c.header('Connection', 'close');
  const format = formats.find(({ prefix }) => `${c.req.path}/`.startsWith(`${prefix}/`));
  // The message can hold what the caller sent, which no browser may take for a page.
  c.header('X-Content-Type-Options', 'nosniff');
  c.status(status);
  const body = format ? JSON.stringify(format.body(error, status, c)) : error.message;
  c.header('Content-Type', format ? (format.mediaType ?? 'application/json') : 'text/plain; charset=utf-8');
  return c.body(body);
}
