import { AppError } from '#contract/errors.ts';
import { readBearerToken } from '#serve/program/bearer-token.ts';
import type { HeaderReader } from './identity.ts';

/** Headers of the APIs of Anthropic, Google and Azure, whose clients send the token without a scheme. */
export const RAW_HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key'] as const;

/**
 * The token of a request, from the first of these headers that is not empty: `X-Gateway-Key`, `Otari-Key`, `Authorization`,
 * `x-api-key`, `x-goog-api-key`, `api-key`. An invalid token in one header is not replaced by a valid one in the next.
 */
export function tokenOf(headers: HeaderReader): string {
  const value = headers.get('x-gateway-key') || headers.get('otari-key') || headers.get('authorization');
  if (!value) {
    const raw = RAW_HEADERS.map((name) => headers.get(name)).find(Boolean);
    if (raw) return raw;
    throw refused('Missing X-Gateway-Key or Authorization header', 'missing_credentials');
  }
  const token = readBearerToken(value);
  if (token === undefined)
    throw refused("Invalid header format. Expected 'Bearer <token>'", 'invalid_format');
  return token;
}

/** The token of a request; undefined without a valid header. */
export function tokenIn(headers: HeaderReader): string | undefined {
  try {
    return tokenOf(headers);
  } catch {
    return undefined;
  }
}

export const refused = (message: string, reason: string): AppError =>
  new AppError('UnauthorizedError', message, { reason });
