import { trimEndOf } from '#core/text/trim-text.ts';

const RESOURCE = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/** Returns the URLs of the metadata of a protected resource, in the order in which they are tried. */
export function resourceMetadataUrls(resource: URL): string[] {
  if (!isWeb(resource)) return [resource.href];
  const path = pathOf(resource);
  const paths = path === '' ? [RESOURCE] : [`${RESOURCE}${path}`, RESOURCE];
  return paths.map((at) => `${resource.origin}${at}`);
}

/**
 * Returns the URLs of the metadata of an authorization server, in the order in which they are tried: OAuth before OpenID Connect,
 * and the well-known part before the path of the issuer before the older way after it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
export function serverMetadataUrls(issuer: URL): string[] {
  if (!isWeb(issuer)) return [issuer.href];
  const path = pathOf(issuer);
  const paths = path === '' ? [OAUTH, OPENID] : [`${OAUTH}${path}`, `${OPENID}${path}`, `${path}${OPENID}`];
  return paths.map((at) => `${issuer.origin}${at}`);
}

/** Other URLs have no origin. The client rejects them with their own text. */
const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';
const pathOf = ({ pathname }: URL): string => trimEndOf(pathname, '/');
