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
  /** The grant parameters, including `grant_type`. Undefined parameters are omitted. */
  readonly grant: Readonly<Record<string, string | undefined>>;
  /** The key to bind the tokens to. */
  readonly dpop?: DpopKey | undefined;
  /** The type of the issued token, if it is not an access token (RFC 8693, section 2.2.1). */
  readonly issues?: string | undefined;
}

/** Tokens in any other format cannot be sent in a header. @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Requests tokens. Rejects with an OAuthFailure that contains the authorization server's error code, but no secret. */
export async function requestTokens(
  http: OAuthHttp,
  request: SignInTokenRequest,
  now: () => number = Date.now,
): Promise<Tokens> {
  const requestedAt = now();
  const { status, body } = await post(http, request);
  if (status !== 200) throw errorResponseOf('The authorization server did not return a token', status, body);
  const access = isObject(body) ? textIn(body, 'access_token') : undefined;
  if (!isObject(body) || access === undefined || !TOKEN.test(access)) {
    throw new OAuthFailure("The authorization server's response has no valid access token.");
  }
  const type = String(body['token_type']).toLowerCase();
  const isBound = type === 'dpop' && request.dpop !== undefined;
  if (request.issues !== undefined) {
    if (body['issued_token_type'] !== request.issues)
      throw new OAuthFailure(`The authorization server did not issue a token of the type ${request.issues}.`);
  } else if (type !== 'bearer' && !isBound)
    throw new OAuthFailure('The access token must be a bearer token.');
  const [refresh, scope, seconds] = [textIn(body, 'refresh_token'), textIn(body, 'scope'), secondsIn(body)];
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { expiresAt: requestedAt + seconds * 1000 }),
    ...(scope !== undefined && { scope }),
    ...(isBound && { isBound }),
  };
}

/** Sends the request, and repeats it if the authorization server requires a nonce in the proof. */
async function post(
  http: OAuthHttp,
  { endpoint, issuer = endpoint, client, grant, dpop }: SignInTokenRequest,
): Promise<OAuthResponse> {
  const send = async (): Promise<OAuthResponse> => {
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value);
    // Created again for each request, because a client assertion can be used only once.
    const headers = await authenticateClient(client, form, issuer);
    const proof = dpop && { dpop: await dpop.proof({ method: 'POST', url: endpoint }) };
    return await http.postForm(endpoint, form, { ...headers, ...proof });
  };
  const first = await send();
  const isNew = dpop?.learn(endpoint, first.headers) === true;
  return isNew && membersOf(first.body)['error'] === 'use_dpop_nonce' ? await send() : first;
}

/** Some authorization servers send the number as a string. */
function secondsIn({ expires_in: value }: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_LIFE_SECONDS) : undefined;
}

/** Later times cannot be represented as dates; no token needs them. */
const MAX_LIFE_SECONDS = 100 * 365 * 24 * 3600;
