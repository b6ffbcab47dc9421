import { randomBytes } from 'node:crypto';
import type { BearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import { OAuthFailure, errorResponseOf } from '#serve/oauth/oauth-failure.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { createPkce, type Pkce } from '#serve/oauth/pkce.ts';
import type { SignInSettings } from '../config/spec.ts';
import { readAuthorizationResponse } from './authorization-response.ts';
import { type Authorization, findAuthorization } from './find-authorization.ts';
import { mergeScopes } from './scopes.ts';
import type { OAuthClient, RegisteredClient, SignInRecord } from './sign-in-record.ts';
import { requestTokens } from './token-request.ts';
import { isObject } from '#core/json/is-object.ts';
import { type ServerMetadata, textIn } from '#serve/oauth/server-metadata.ts';
import { chooseAuthMethod } from './client-authentication.ts';

export interface SignInRequest {
  readonly url: URL;
  readonly settings: SignInSettings;
  /** The challenge of the server, if it sent one. */
  readonly challenge: BearerChallenge | undefined;
  readonly redirectUri: string;
  readonly before: SignInRecord | undefined;
}

/** A sign-in that is waiting for the user. */
export interface StartedSignIn {
  readonly authorizationUrl: URL;
  readonly issuer: string;
  /** Completes the sign-in with the parameters of the redirect URL. */
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
    throw new OAuthFailure(
      `${issuer} does not support PKCE with S256, which is required for a secure sign-in.`,
    );
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
      // A response without scopes grants the requested ones (RFC 6749, section 5.1).
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
 * Selects the scopes: the configured ones, those in the challenge, those in the document of an API, or all that the server lists,
 * plus those that an earlier token lacked. `offline_access` is added if the authorization server supports it, which may
 * otherwise issue no refresh token; but not to configured scopes, because not every client is allowed to
 * request it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#scope-selection-strategy
 */
function scopeOf(
  { settings, challenge, before }: SignInRequest,
  { server, resource }: Authorization,
): string | undefined {
  const listed = resource?.scopesSupported?.join(' ');
  const { scope, documentScope } = settings;
  const required = mergeScopes(scope ?? challenge?.scope ?? documentScope ?? listed, before?.wantedScope);
  const isOffline =
    settings.scope === undefined && server.scopesSupported?.includes('offline_access') === true;
  return mergeScopes(required, isOffline ? 'offline_access' : undefined);
}

async function openKey(jwk: string | undefined): Promise<DpopKey> {
  // Imported on demand, because few servers require it.
  const { openDpopKey } = await import('#serve/oauth/dpop-key.ts');
  return openDpopKey(jwk);
}

/** The stored part of a client: its private key stays in the configuration. */
function withoutKey(client: OAuthClient): RegisteredClient {
  const { privateKey: _, ...stored } = client;
  return stored;
}

/** A browser would execute a `javascript:` URL, and other schemes would open other programs. */
function checkedEndpoint(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  // User information before the host looks like a host name in the address bar.
  if (isWeb && url.username === '' && url.password === '') return text;
  throw new OAuthFailure(
    'The authorization endpoint must be an http:// or https:// URL without credentials.',
  );
}

interface AuthorizationRequest {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly pkce: Pkce;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** Returns the URL where a user authorizes the client. Query parameters of the endpoint are kept. */
function authorizationUrl(request: AuthorizationRequest): URL {
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
    // With OpenID Connect, this scope only yields a refresh token if the user is asked for consent.
    prompt: scope?.split(' ').includes('offline_access') === true ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

interface ClientRequest {
  readonly server: ServerMetadata;
  readonly settings: SignInSettings;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  /** The earlier sign-in, whose client is reused if it fits. */
  readonly before: SignInRecord | undefined;
}

/**
 * Returns the client for a sign-in, in the specification's order: the configured client, a client ID metadata
 * document, or dynamic client registration.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-registration-approaches
 */
async function obtainClient(http: OAuthHttp, request: ClientRequest): Promise<OAuthClient> {
  const { server, settings, redirectUri, before } = request;
  const { clientId, clientSecret, privateKey, clientMetadataUrl } = settings;
  if (clientId !== undefined) {
    const authMethod = chooseAuthMethod({ secret: clientSecret, privateKey }, server.tokenAuthMethods);
    return {
      id: clientId,
      authMethod,
      privateKey,
      ...(clientSecret !== undefined && { secret: clientSecret }),
    };
  }
  if (clientMetadataUrl !== undefined && server.readsClientDocuments) {
    return { id: clientMetadataUrl, authMethod: 'none' };
  }
  // A server that rejected the tokens may have deleted the client as well.
  const isKnown = before?.client.isDynamic === true && before.tokens !== undefined;
  if (isKnown && before.issuer === server.issuer && before.redirectUri === redirectUri) return before.client;
  if (server.registrationEndpoint !== undefined) return register(http, server.registrationEndpoint, request);
  throw new OAuthFailure(
    `${server.issuer} does not support dynamic client registration. Register a client there and set oauth.client_id, and oauth.client_secret if the client has one.`,
  );
}

/** @see https://www.rfc-editor.org/rfc/rfc7591 */
async function register(
  http: OAuthHttp,
  endpoint: string,
  { server, redirectUri, scope }: ClientRequest,
): Promise<RegisteredClient> {
  const methods = server.tokenAuthMethods;
  const { status, body } = await http.postJson(endpoint, {
    client_name: 'mcp-manager',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A program on a user's machine cannot keep a secret, so it registers as a public client if possible.
    token_endpoint_auth_method:
      methods === undefined || methods.includes('none') ? 'none' : chooseAuthMethod({ secret: '' }, methods),
    ...(scope !== undefined && { scope }),
  });
  if (status !== 200 && status !== 201) {
    throw errorResponseOf('The authorization server failed to register a client', status, body);
  }
  const id = isObject(body) ? textIn(body, 'client_id') : undefined;
  if (!isObject(body) || id === undefined) {
    throw new OAuthFailure('The authorization server registered a client but returned no client ID.');
  }
  const registered = body['token_endpoint_auth_method'];
  const secret = registered === 'none' ? undefined : textIn(body, 'client_secret');
  const authMethod = chooseAuthMethod({ secret }, methods, registered);
  return { id, authMethod, isDynamic: true, ...(secret !== undefined && { secret }) };
}
