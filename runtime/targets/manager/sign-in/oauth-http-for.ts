import { lookup } from 'node:dns/promises';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { createOAuthHttp, type OAuthHttp } from '#serve/oauth/oauth-http.ts';

/** A server's configuration. The server can send further URLs. */
export interface NamingServer {
  readonly url: URL;
  /** The configured authorization server. */
  readonly issuer: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Creates the client for URLs that a server sends. URLs on this machine and its networks are rejected if they
 * come from a server on the internet, unless the configuration sets an authorization server there. URLs
 * without TLS are rejected if they come from a server with TLS.
 */
export async function oauthHttpFor({ url, issuer, timeoutMs }: NamingServer): Promise<OAuthHttp> {
  const named = issuer === undefined ? undefined : new URL(issuer);
  return createOAuthHttp({
    allowsPrivate: isPrivateName(url) || (named !== undefined && (await resolvesToPrivate(named))),
    allowsHttp: url.protocol === 'http:' || named?.protocol === 'http:',
    timeoutMs,
    remedy: 'If you trust it, set oauth.issuer to the authorization server',
  });
}

/**
 * Whether a URL is private, judged by its host name alone. The resolved address does not count: a domain's
 * owner could point it to a private address just to make this program call others.
 */
function isPrivateName({ hostname }: URL): boolean {
  if (isIpAddress(hostname)) return addressKind(hostname) === 'private';
  return !hostname.includes('.') || PRIVATE_DOMAINS.test(hostname);
}

/** Domains that cannot be registered on the internet. */
const PRIVATE_DOMAINS = /\.(?:localhost|local|internal|home\.arpa)\.?$/;

/** The configured authorization server is trusted, so its address counts. */
async function resolvesToPrivate(url: URL): Promise<boolean> {
  if (isPrivateName(url)) return true;
  const found = await lookup(url.hostname, { all: true }).catch(() => []);
  return found.some(({ address }) => addressKind(address) === 'private');
}
