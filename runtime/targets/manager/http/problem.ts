import { STATUS_CODES } from 'node:http';
import type { AppError, ErrorDetail } from '../../../contract/errors.ts';
import type { ErrorFormat } from '../../../serve/http/error-response.ts';
import type { BaseAddress } from './base-address.ts';
import { schemaPath } from './struct-answer.ts';

/** All errors of the manager, whatever the path: https://www.rfc-editor.org/rfc/rfc9457 */
export const problemFormat = (baseAddress: BaseAddress): ErrorFormat => ({
  prefix: '',
  mediaType: 'application/problem+json',
  body(error, status, c) {
    const path = schemaPath('ErrorModel');
    c.header('Link', `<${path}>; rel="describedBy"`);
    return { $schema: baseAddress(c) + path, ...problem(error, status) };
  },
});

/** What a client gets that sent something which is no request to any path. */
export function problemWithoutPath(error: AppError, status: number): Response {
  return new Response(JSON.stringify(problem(error, status)), {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'X-Content-Type-Options': 'nosniff' },
  });
}

export const problem = (error: AppError, status: number): object => ({
  title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
  status,
  detail: error.message,
  ...(error.details && error.details.length > 0 ? { errors: error.details.map(located) } : {}),
});

/** Where Node has a newer name than the service whose clients we serve. */
const TITLES: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  499: 'Client Closed Request',
};

/** Clients print the location of each, so each has one. */
const located = ({ message, location = 'path', value }: ErrorDetail): ErrorDetail => ({
  message,
  location,
  ...(value === undefined ? {} : { value }),
});
