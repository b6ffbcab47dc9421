import { membersOf } from '#core/json/members-of.ts';
import type { OAuthHttp } from './oauth-http.ts';
import { OAuthFailure } from './oauth-failure.ts';
import { readResourceMetadata, type ResourceMetadata } from './resource-metadata.ts';
import { readServerMetadata, type ServerMetadata } from './server-metadata.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/**
 * Finds the metadata of a protected resource, either at the URL in its challenge or at the
 * well-known URLs. Returns undefined if there is no metadata.
 */
export async function discoverResource(
  http: OAuthHttp,
  resource: URL,
  announced: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const urls = announced === undefined ? resourceMetadataUrls(resource) : [announced];
  const found = await firstFound(http, urls);
  // A resource without metadata can respond to every URL, for example with its home page.
  if (announced === undefined && membersOf(found?.body)['resource'] === undefined) return undefined;
  return found && readResourceMetadata(found.body, resource);
}

/**
 * Finds the metadata of an authorization server; undefined if the server has no metadata. If the
 * issuer was only guessed, the metadata can contain a different issuer.
 */
export async function discoverServer(
  http: OAuthHttp,
  issuer: string,
  isGuess = false,
): Promise<ServerMetadata | undefined> {
  const url = URL.parse(issuer);
  if (!url || url.search !== '' || url.hash !== '') {
    throw new OAuthFailure('The URL of the authorization server must not contain a query or a fragment.');
  }
  const found = await firstFound(http, serverMetadataUrls(url));
  return found && readServerMetadata(found.body, issuer, isGuess);
}

/**
 * Requests the URLs one after the other until one returns metadata. A server error does not count
 * as missing metadata.
 */
async function firstFound(
  http: OAuthHttp,
  urls: readonly string[],
): Promise<{ readonly body: unknown } | undefined> {
  for (const url of urls) {
    const { status, body } = await http.get(url);
    if (status === 200) return { body };
    if (status >= 500) throw new OAuthFailure(`${url} returned status ${status}.`);
  }
  return undefined;
}

const RESOURCE = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Returns the URLs of a protected resource's metadata, in the order in which they are tried. @internal */
export function resourceMetadataUrls(resource: URL): string[] {
  if (!isWeb(resource)) return [resource.href];
  const path = pathOf(resource);
  const paths = path === '' ? [RESOURCE] : [`${RESOURCE}${path}`, RESOURCE];
  return paths.map((at) => `${resource.origin}${at}`);
}

/**
 * Returns the URLs of an authorization server's metadata, in the order in which they are tried:
 * OAuth before OpenID Connect, and the well-known part before the issuer's path before the older
 * form after it.
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 * @internal
 */
export function serverMetadataUrls(issuer: URL): string[] {
  if (!isWeb(issuer)) return [issuer.href];
  const path = pathOf(issuer);
  const paths = path === '' ? [OAUTH, OPENID] : [`${OAUTH}${path}`, `${OPENID}${path}`, `${path}${OPENID}`];
  return paths.map((at) => `${issuer.origin}${at}`);
}

/** URLs with other schemes have no origin. The client rejects them with a message of its own. */
const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';
const pathOf = ({ pathname }: URL): string => trimEndOf(pathname, '/');
