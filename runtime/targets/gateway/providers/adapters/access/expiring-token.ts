import { accessRefused } from './access-refused.ts';
import type { Expiring } from './renewed.ts';

/** Reads the answer of an OAuth server, which is valid from the time of the request. */
export function expiringToken(
  { access_token: token, expires_in: seconds }: Readonly<Record<string, unknown>>,
  requestedAt: number,
  server: string,
): Expiring<string> {
  if (typeof token !== 'string' || token === '') throw accessRefused(`The answer of ${server} has no token.`);
  const life = Number(seconds);
  return { value: token, expiresAt: requestedAt + (life > 0 ? life : 300) * 1000 };
}
