import { isObject } from '#core/json/is-object.ts';
import { OAuthFailure } from './oauth-failure.ts';
import { textIn, textsIn } from './server-metadata.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The metadata of a protected resource. @see https://www.rfc-editor.org/rfc/rfc9728 */
export interface ResourceMetadata {
  /** The resource's identifier, to be sent as the `resource` parameter. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  /** Whether tokens must be bound to a key. */
  readonly requiresDpop: boolean;
}

/**
 * Reads the metadata of the resource at a URL. Metadata of another resource is rejected, because
 * otherwise a server could obtain tokens for a different server.
 */
export function readResourceMetadata(value: unknown, url: URL): ResourceMetadata {
  const resource = isObject(value) ? textIn(value, 'resource') : undefined;
  if (!isObject(value) || resource === undefined) {
    throw new OAuthFailure('The protected-resource metadata has no `resource`.');
  }
  if (!covers(resource, url)) {
    const place = `${url.origin}${url.pathname}`;
    throw new OAuthFailure(`The protected-resource metadata is for a different resource than ${place}.`);
  }
  return {
    resource,
    authorizationServers: textsIn(value, 'authorization_servers') ?? [],
    scopesSupported: textsIn(value, 'scopes_supported'),
    requiresDpop: value['dpop_bound_access_tokens_required'] === true,
  };
}

/** Whether a resource is the URL itself, or has the same origin and a parent path. */
function covers(resource: string, url: URL): boolean {
  const parsed = URL.parse(resource);
  if (!parsed || parsed.origin !== url.origin || parsed.hash !== '') return false;
  return `${url.pathname}/`.startsWith(`${trimEndOf(parsed.pathname, '/')}/`);
}
