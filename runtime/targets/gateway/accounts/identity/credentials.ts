import { AppError } from '../../../../contract/errors.ts';
import { readBearerToken } from '../../../../serve/program/bearer-token.ts';
import type { HeaderReader } from './identity.ts';

/**
 * The token that a request brings: from `X-Gateway-Key`, else from `Authorization`, else from `x-api-key`. Which one counts is
 * decided by place alone: a wrong token in the first is not made good by one in the second; an empty header is as none.
 */
export function tokenOf(headers: HeaderReader): string {
  const value = headers.get('x-gateway-key') || headers.get('authorization');
  if (!value) {
    // Clients of Anthropic's API send it there, as it is.
    const raw = headers.get('x-api-key');
    if (raw) return raw;
    throw refused('Missing X-Gateway-Key or Authorization header', 'missing_credentials');
  }
  const token = readBearerToken(value);
  if (token === undefined)
    throw refused("Invalid header format. Expected 'Bearer <token>'", 'invalid_format');
  return token;
}

export const refused = (message: string, reason: string): AppError =>
  new AppError('UnauthorizedError', message, { reason });
