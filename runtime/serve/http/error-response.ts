import type { Context } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import type { AppError } from '../../contract/errors.ts';
import { HTTP_STATUS } from '../errors/http-status.ts';

/** Paths that begin with `prefix` answer errors as JSON, because the clients of that API expect it. */
export interface ErrorFormat {
  readonly prefix: string;
  readonly body: (error: AppError, status: number) => unknown;
}

/** An error as an answer: the bare message as text, or what the path's own format makes of it. */
export function errorResponse(c: Context, error: AppError, formats: readonly ErrorFormat[]): Response {
  const status = HTTP_STATUS[error.code] as StatusCode;
  if (status === 429 || status === 503) c.header('Retry-After', '1');
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  const format = formats.find(({ prefix }) => `${c.req.path}/`.startsWith(`${prefix}/`));
  c.header('Content-Type', format ? 'application/json' : 'text/plain; charset=utf-8');
  // The message can hold what the caller sent, which no browser may take for a page.
  c.header('X-Content-Type-Options', 'nosniff');
  c.status(status);
  return c.body(format ? JSON.stringify(format.body(error, status)) : error.message);
}
