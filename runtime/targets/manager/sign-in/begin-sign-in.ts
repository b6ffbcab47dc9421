import { randomBytes } from 'node:crypto';
import type { BearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { createPkce } from '#serve/oauth/pkce.ts';
import type { SignInSettings } from '../config/spec.ts';
import { authorizationUrl } from './authorization-request.ts';
import { readAuthorizationResponse } from './authorization-response.ts';
import { type Authorization, findAuthorization } from './find-authorization.ts';
import { obtainClient } from './obtain-client.ts';
import { mergeScopes } from './scopes.ts';
import type { OAuthClient, RegisteredClient, SignInRecord } from './sign-in-record.ts';
import { requestTokens } from './token-request.ts';

export interface SignInRequest {
  readonly url: URL;
  readonly settings: SignInSettings;
  /** The challenge of the server, if it sent one. */
  readonly challenge: BearerChallenge | undefined;
  readonly redirectUri: string;
  readonly before: SignInRecord | undefined;
}

/** A sign-in that waits for the person. */
export interface StartedSignIn {
  readonly authorizationUrl: URL;
  readonly issuer: string;
  /** Completes the sign-in with the parameters of the URL to which the browser returned. */
  finish(parameters: URLSearchParams): Promise<SignInRecord>;
}

/** Prepares a sign-in: finds the authorization server, and registers a client there if necessary. */
export async function beginSignIn(http: OAuthHttp, request: SignInRequest): Promise<StartedSignIn> {
  const { settings, redirectUri, before } = request;
  const authorization = await findAuthorization(http, { ...request, issuer: settings.issuer });
  const { server, resource, requiresDpop } = authorization;
  const { authorizationEndpoint, tokenEndpoint, codeChallengeMethods, issuer } = server;
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) {
    throw new OAuthFailure(`${issuer} has no authorization endpoint or no token endpoint.`);
  }
  if (!codeChallengeMethods?.includes('S256')) {
    throw new OAuthFailure(`${issuer} does not support PKCE with S256, without which a sign-in is not safe.`);
  }
  const scope = scopeOf(request, authorization);
  const client = await obtainClient(http, { server, settings, redirectUri, scope, before });
  const dpop = requiresDpop ? await openKey(before?.dpopKey) : undefined;
  const [pkce, state] = [createPkce(), randomBytes(32).toString('base64url')];
  const url = authorizationUrl({
    endpoint: checkedEndpoint(authorizationEndpoint),
    clientId: client.id,
    redirectUri,
    state,
    pkce,
    scope,
    resource: resource?.resource,
  });
  return {
    authorizationUrl: url,
    issuer,
    async finish(parameters) {
      const code = readAuthorizationResponse(parameters, { state, issuer, sendsIssuer: server.sendsIssuer });
      const tokens = await requestTokens(http, {
        endpoint: tokenEndpoint,
        issuer,
        client,
        dpop,
        grant: {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: pkce.verifier,
          resource: resource?.resource,
        },
      });
      // A response without scopes grants those that were requested (RFC 6749, section 5.1).
      const granted = tokens.scope ?? scope;
      return {
        issuer,
        tokenEndpoint,
        redirectUri,
        client: withoutKey(client),
        ...(tokens.isBound && dpop && { dpopKey: dpop.jwk }),
        tokens: { ...tokens, ...(granted !== undefined && { scope: granted }) },
        ...(server.revocationEndpoint !== undefined && { revocationEndpoint: server.revocationEndpoint }),
        ...(resource !== undefined && { resource: resource.resource }),
      };
    },
  };
}

/**
 * Chooses the scopes: the configured ones, those of the challenge, or all that the server lists; and those that an earlier token
 * lacked. `offline_access` is added if the authorization server has it, because it may return no refresh token otherwise, but not to
 * configured scopes, because not every client is allowed to request it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-selection-strategy
 */
function scopeOf(
  { settings, challenge, before }: SignInRequest,
  { server, resource }: Authorization,
): string | undefined {
  const listed = resource?.scopesSupported?.join(' ');
  const required = mergeScopes(settings.scope ?? challenge?.scope ?? listed, before?.wantedScope);
  const isOffline =
    settings.scope === undefined && server.scopesSupported?.includes('offline_access') === true;
  return mergeScopes(required, isOffline ? 'offline_access' : undefined);
}

async function openKey(jwk: string | undefined): Promise<DpopKey> {
  // Imported on demand, because few servers require it.
  const { openDpopKey } = await import('#serve/oauth/dpop-key.ts');
  return openDpopKey(jwk);
}

/** The part of a client that is stored: its private key stays in the configuration. */
function withoutKey(client: OAuthClient): RegisteredClient {
  const { privateKey: _, ...stored } = client;
  return stored;
}

/** A browser would run a `javascript:` URL, and programs would open others. */
function checkedEndpoint(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // A name before the host looks like the host in the address bar.
  if (isWeb && url.username === '' && url.password === '') return text;
  throw new OAuthFailure(
    'The authorization endpoint must be an http:// or https:// URL without credentials.',
  );
}
