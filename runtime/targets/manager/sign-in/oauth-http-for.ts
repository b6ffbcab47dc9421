import { lookup } from 'node:dns/promises';
import { addressKind, isIpAddress } from '../../../core/net/public-address.ts';
import { createOAuthHttp, type OAuthHttp } from '../../../serve/oauth/oauth-http.ts';

/** What the configuration says about a server that names other URLs. */
export interface NamingServer {
  readonly url: URL;
  /** The configured authorization server. */
  readonly issuer: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Creates the client for the URLs that a server names. A server on the internet cannot name addresses of this machine and its
 * networks, unless the configuration names an authorization server there; and a server with TLS cannot name URLs without.
 */
export async function oauthHttpFor({ url, issuer, timeoutMs }: NamingServer): Promise<OAuthHttp> {
  const configured = [url, ...(issuer === undefined ? [] : [new URL(issuer)])];
  const kinds = await Promise.all(configured.map(({ hostname }) => isPrivateHost(hostname)));
  return createOAuthHttp({
    allowsPrivate: kinds.includes(true),
    allowsHttp: configured.some(({ protocol }) => protocol === 'http:'),
    timeoutMs,
  });
}

async function isPrivateHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIpAddress(host)) return addressKind(host) === 'private';
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => addressKind(address) === 'private');
}
