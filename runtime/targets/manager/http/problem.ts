import { STATUS_CODES } from 'node:http';
import type { AppError, ErrorDetail } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import type { BaseAddress } from '#serve/http/own-address.ts';
import { schemaPath } from './struct-answer.ts';

/** The format of all of the manager's errors: https://www.rfc-editor.org/rfc/rfc9457 */
export const problemFormat = (baseAddress: BaseAddress): ErrorFormat => ({
  prefix: '',
  mediaType: 'application/problem+json',
  body(error, status, c) {
    const path = schemaPath('ErrorModel');
    c.header('Link', `<${path}>; rel="describedBy"`);
    return { $schema: baseAddress(c) + path, ...problem(error, status) };
  },
});

/** Returns the response to a malformed HTTP request. Such a request has no path. */
export function problemWithoutPath(error: AppError, status: number): Response {
  return new Response(JSON.stringify(problem(error, status)), {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'X-Content-Type-Options': 'nosniff' },
  });
}

/**
 * mcpd's JavaScript client treats the error as an empty list only if its text contains both "501" and "Not
 * Implemented".
 */
const NOT_IMPLEMENTED = 501;

export const problem = (error: AppError, status: number): object => ({
  title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
  status,
  detail: status === NOT_IMPLEMENTED ? `${error.message} (501 Not Implemented)` : error.message,
  ...(error.details && error.details.length > 0 ? { errors: error.details.map(located) } : {}),
});

/** Titles that differ from Node's, because mcpd, whose clients are supported, uses older names. */
const TITLES: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  499: 'Client Closed Request',
};

/** Adds a location to each detail, because clients print it. */
const located = ({ message, location = 'path', value }: ErrorDetail): ErrorDetail => ({
  message,
  location,
  ...(value === undefined ? {} : { value }),
});
