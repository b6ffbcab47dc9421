import type { Pkce } from '#serve/oauth/pkce.ts';

export interface AuthorizationRequest {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly pkce: Pkce;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** Returns the URL at which a person authorizes the client. Parameters of the endpoint's own query are kept. */
export function authorizationUrl(request: AuthorizationRequest): URL {
  const { endpoint, clientId, redirectUri, state, pkce, scope, resource } = request;
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    scope,
    resource,
    // OpenID Connect returns a refresh token for this scope only if the person consents.
    prompt: scope?.split(' ').includes('offline_access') === true ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}
