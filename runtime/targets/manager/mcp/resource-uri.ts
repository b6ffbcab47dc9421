/** A resource of one server. */
export interface OwnedUri {
  readonly server: string;
  /** As the server knows it. */
  readonly uri: string;
}

const SCHEME = 'mcp:';

/**
 * The URI, or URI template, of a resource that several servers offer under the same one: `mcp:<server>:<uri>`. To parsers of
 * URIs the part behind the scheme is opaque, so that none changes it; a server's name inside the scheme could be invalid.
 */
export const ownUri = ({ server, uri }: OwnedUri): string => `${SCHEME}${encodeURIComponent(server)}:${uri}`;

/** Undoes `ownUri`; nothing for a URI that is plain, or of a server that is not among these. */
export function parseOwnUri(text: string, servers: readonly string[]): OwnedUri | undefined {
  const server = servers.find((name) => text.startsWith(ownUri({ server: name, uri: '' })));
  return server === undefined ? undefined : { server, uri: text.slice(ownUri({ server, uri: '' }).length) };
}
