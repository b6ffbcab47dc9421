/** A resource on one server. */
export interface OwnedUri {
  readonly server: string;
  /** The URI on the server. */
  readonly uri: string;
}

const SCHEME = 'mcp:';

/**
 * Returns a unique URI (or URI template) for a resource whose URI several servers use: `mcp:<server>:<uri>`.
 * URI parsers treat everything after the scheme as opaque and do not change it. The server name is not the
 * scheme itself, because it could be invalid there.
 */
export const ownUri = ({ server, uri }: OwnedUri): string => `${SCHEME}${encodeURIComponent(server)}:${uri}`;

/** Parses a URI created by `ownUri`; undefined for any other URI, and for a server that is not in the list. */
export function parseOwnUri(text: string, servers: readonly string[]): OwnedUri | undefined {
  const server = servers.find((name) => text.startsWith(ownUri({ server: name, uri: '' })));
  return server === undefined ? undefined : { server, uri: text.slice(ownUri({ server, uri: '' }).length) };
}
