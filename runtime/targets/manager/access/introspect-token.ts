import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { sha256 } from '#platform/sha256.ts';
import { basicAuthorization } from '#serve/oauth/basic-authorization.ts';
import { discoverServer } from '#serve/oauth/discover.ts';
import { errorResponseOf, OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { isSameIssuer } from '#serve/oauth/server-metadata.ts';
import type { IntrospectionSettings } from '../config/spec.ts';
import type { Claims } from './token-caller.ts';

export interface IntrospectionOptions {
  readonly settings: IntrospectionSettings;
  readonly issuer: string;
  /** The secret of the client; undefined for a client without one. */
  readonly secret: string | undefined;
  readonly http: OAuthHttp;
  readonly now: () => number;
}

/** How long a result is used, so that not every call needs a request. A revoked token is accepted for at most this time. */
const MAX_AGE_MS = 30_000;
/** Maximum number of cached results. */
const MAX_CACHED = 10_000;
/** Maximum number of requests in flight, so that guessed tokens do not become a flood for the issuer. */
const MAX_RUNNING = 50;

interface Result {
  readonly claims: Promise<Claims>;
  until: number;
}

/**
 * Creates the function that requests the claims of a token without a form of its own from its issuer. Rejects with an
 * UnauthorizedError if the token is not active. Concurrent calls share one request.
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export function createIntrospection({
  settings,
  issuer,
  secret,
  http,
  now,
}: IntrospectionOptions): (token: string) => Promise<Claims> {
  /** Results by the hash of the token. */
  const cached = new Map<string, Result>();
  let found: Promise<string> | undefined;
  let running = 0;
  const endpoint = async (): Promise<string> => {
    const url = settings.url ?? (await discoverServer(http, issuer))?.introspectionEndpoint;
    if (url !== undefined) return url;
    throw new OAuthFailure(`The issuer ${issuer} has no introspection endpoint in its metadata.`);
  };
  const request = async (token: string): Promise<Claims> => {
    found ??= endpoint().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const { clientId } = settings;
    if (secret === undefined) form.set('client_id', clientId);
    const headers = secret === undefined ? {} : { authorization: basicAuthorization(clientId, secret) };
    const { status, body } = await http.postForm(await found, form, headers);
    if (status !== 200) throw errorResponseOf('The issuer did not introspect the token', status, body);
    const claims = membersOf(body);
    const { active, iss, exp } = claims;
    if (active !== true) throw invalid('it is not active');
    if (iss !== undefined && !(typeof iss === 'string' && isSameIssuer(iss, issuer))) {
      throw invalid('its issuer is not the configured one');
    }
    if (typeof exp === 'number' && exp * 1000 <= now()) throw invalid('it has expired');
    return claims;
  };
  const keepWhileUseful = async (key: string, result: Result): Promise<void> => {
    try {
      const { exp } = await result.claims;
      if (typeof exp === 'number') result.until = Math.min(result.until, exp * 1000);
    } catch (error) {
      // An answer of the issuer is kept, a failure is not.
      if (!(error instanceof AppError)) cached.delete(key);
    }
  };
  const start = (key: string, token: string): Result => {
    if (running >= MAX_RUNNING) {
      const message = 'Too many access tokens are being introspected. Retry in 1 s.';
      throw new AppError('OverloadedError', message, { retryAfterSeconds: 1 });
    }
    running += 1;
    const claims = request(token).finally(() => (running -= 1));
    const result: Result = { until: now() + MAX_AGE_MS, claims };
    void keepWhileUseful(key, result);
    const [oldest] = cached.keys();
    if (oldest !== undefined && cached.size >= MAX_CACHED) cached.delete(oldest);
    cached.set(key, result);
    return result;
  };

  return async (token) => {
    const key = sha256(token);
    const known = cached.get(key);
    if (known && known.until <= now()) cached.delete(key);
    const { claims } = cached.get(key) ?? start(key, token);
    try {
      return await claims;
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      const message = `The token issuer does not respond: ${error.message}`;
      throw new AppError('UnavailableError', message, { cause: error, retryAfterSeconds: 5 });
    }
  };
}

const invalid = (reason: string): AppError =>
  new AppError('UnauthorizedError', `Invalid access token: ${reason}.`, { reason: 'invalid_token' });
