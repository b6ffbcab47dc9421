import { discoverResource, discoverServer } from '#serve/oauth/discover.ts';
import type { BearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { ResourceMetadata } from '#serve/oauth/resource-metadata.ts';
import { isSameIssuer, type ServerMetadata } from '#serve/oauth/server-metadata.ts';

/** How to request tokens for a server. */
export interface Authorization {
  readonly server: ServerMetadata;
  readonly resource: ResourceMetadata | undefined;
  /** Whether the server requires sender-constrained tokens. */
  readonly requiresDpop: boolean;
}

export interface AuthorizationSearch {
  readonly url: URL;
  readonly challenge: BearerChallenge | undefined;
  /** The configured authorization server. */
  readonly issuer: string | undefined;
}

/**
 * Finds a remote server's authorization server through metadata. A server without metadata is treated as in
 * the first revision of the specification: it is its own authorization server.
 */
export async function findAuthorization(
  http: OAuthHttp,
  { url, challenge, issuer }: AuthorizationSearch,
): Promise<Authorization> {
  const resource = await discoverResource(http, url, challenge?.resourceMetadata);
  const named = resource?.authorizationServers ?? [];
  const requiresDpop = resource?.requiresDpop === true || challenge?.isDpop === true;
  const chosen = issuer ?? named[0];
  if (issuer !== undefined && named.length > 0 && !named.some((name) => isSameIssuer(name, issuer))) {
    throw new OAuthFailure(`The server does not accept tokens from the configured issuer ${issuer}.`);
  }
  if (chosen !== undefined) {
    const server = await discoverServer(http, chosen);
    if (server) return { server, resource, requiresDpop };
    throw new OAuthFailure(`The authorization server ${chosen} publishes no metadata.`);
  }
  const server = (await discoverServer(http, url.origin, true)) ?? defaultEndpoints(url.origin);
  return { server, resource, requiresDpop };
}

/** The endpoints that revision 2025-03-26 defines for servers without metadata. */
const defaultEndpoints = (origin: string): ServerMetadata => ({
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  registrationEndpoint: `${origin}/register`,
  revocationEndpoint: undefined,
  introspectionEndpoint: undefined,
  jwksUri: undefined,
  scopesSupported: undefined,
  codeChallengeMethods: ['S256'],
  tokenAuthMethods: undefined,
  sendsIssuer: false,
  readsClientDocuments: false,
});
