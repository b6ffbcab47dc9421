import { isObject } from '../../../core/json/is-object.ts';
import type { OAuthHttp } from '../../../serve/oauth/oauth-http.ts';
import { errorResponseOf, OAuthFailure } from '../../../serve/oauth/oauth-failure.ts';
import { textIn } from '../../../serve/oauth/text-members.ts';
import { authenticateClient } from './client-authentication.ts';
import type { RegisteredClient, Tokens } from './sign-in-record.ts';

export interface TokenRequest {
  readonly endpoint: string;
  readonly client: RegisteredClient;
  /** The parameters of the grant, with `grant_type`. Undefined ones are omitted. */
  readonly grant: Readonly<Record<string, string | undefined>>;
}

/** Tokens outside this form cannot be sent in a header. @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const TOKEN = /^[\w.~+/-]+=*$/;

/** Requests tokens. Rejects with an OAuthFailure that has the error code of the authorization server, but no secret. */
export async function requestTokens(
  http: OAuthHttp,
  { endpoint, client, grant }: TokenRequest,
  now: () => number = Date.now,
): Promise<Tokens> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value);
  const headers = authenticateClient(client, form);
  const requestedAt = now();
  const { status, body } = await http.postForm(endpoint, form, headers);
  if (status !== 200) throw errorResponseOf('The authorization server returned no token', status, body);
  const access = isObject(body) ? textIn(body, 'access_token') : undefined;
  if (!isObject(body) || access === undefined || !TOKEN.test(access)) {
    throw new OAuthFailure('The response of the authorization server has no valid access token.');
  }
  const type = body['token_type'];
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new OAuthFailure('The access token must be a bearer token.');
  }
  const [refresh, scope, seconds] = [textIn(body, 'refresh_token'), textIn(body, 'scope'), secondsIn(body)];
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(seconds !== undefined && { expiresAt: requestedAt + seconds * 1000 }),
    ...(scope !== undefined && { scope }),
  };
}

/** Some authorization servers send the number as a text. */
function secondsIn({ expires_in: value }: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : Number(value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
