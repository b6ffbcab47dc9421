import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import type { OAuthHttp, OAuthResponse } from '#serve/oauth/oauth-http.ts';
import { errorResponseOf, OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { textIn } from '#serve/oauth/server-metadata.ts';
import { authenticateClient } from './client-authentication.ts';
import type { OAuthClient, Tokens } from './sign-in-record.ts';

export interface SignInTokenRequest {
  readonly endpoint: string;
  /** The authorization server; undefined if only its token endpoint is known. */
  readonly issuer: string | undefined;
  readonly client: OAuthClient;
  /** The parameters of the grant, with `grant_type`. Undefined ones are omitted. */
  readonly grant: Readonly<Record<string, string | undefined>>;
  /** The key to which the tokens should be bound. */
  readonly dpop?: DpopKey | undefined;
}

/** Tokens outside this form cannot be sent in a header. @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Requests tokens. Rejects with an OAuthFailure that has the error code of the authorization server, but no secret. */
export async function requestTokens(
  http: OAuthHttp,
  request: SignInTokenRequest,
  now: () => number = Date.now,
): Promise<Tokens> {
  const requestedAt = now();
  const { status, body } = await post(http, request);
  if (status !== 200) throw errorResponseOf('The authorization server returned no token', status, body);
  const access = isObject(body) ? textIn(body, 'access_token') : undefined;
  if (!isObject(body) || access === undefined || !TOKEN.test(access)) {
    throw new OAuthFailure('The response of the authorization server has no valid access token.');
  }
  const type = String(body['token_type']).toLowerCase();
  const isBound = type === 'dpop' && request.dpop !== undefined;
  if (type !== 'bearer' && !isBound) throw new OAuthFailure('The access token must be a bearer token.');
  const [refresh, scope, seconds] = [textIn(body, 'refresh_token'), textIn(body, 'scope'), secondsIn(body)];
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { expiresAt: requestedAt + seconds * 1000 }),
    ...(scope !== undefined && { scope }),
    ...(isBound && { isBound }),
  };
}

/** Sends the request, and once more if the authorization server requires a nonce in the proof. */
async function post(
  http: OAuthHttp,
  { endpoint, issuer = endpoint, client, grant, dpop }: SignInTokenRequest,
): Promise<OAuthResponse> {
  const send = async (): Promise<OAuthResponse> => {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value);
    // Created again for each request, because a statement of the client can be used once.
    const headers = await authenticateClient(client, form, issuer);
    const proof = dpop && { dpop: await dpop.proof({ method: 'POST', url: endpoint }) };
    return await http.postForm(endpoint, form, { ...headers, ...proof });
  };
  const first = await send();
  const isNew = dpop?.learn(endpoint, first.headers) === true;
  return isNew && membersOf(first.body)['error'] === 'use_dpop_nonce' ? await send() : first;
}

/** Some authorization servers send the number as a text. */
function secondsIn({ expires_in: value }: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_LIFE_SECONDS) : undefined;
}

/** Later times, which no token needs, cannot be written as dates. */
const MAX_LIFE_SECONDS = 100 * 365 * 24 * 3600;
