/** Separates the name of a server from that of an item. Names of servers never contain it; names of items can. */
const SEPARATOR = '__';

export interface QualifiedName {
  readonly server: string;
  readonly name: string;
}

/** Returns the name of an item in lists over all servers: `server__name`. */
export const qualify = (server: string, name: string): string => `${server}${SEPARATOR}${name}`;

/** Splits a qualified name; undefined if it does not start with the name of one of the servers. */
export function splitQualified(qualified: string, servers: readonly string[]): QualifiedName | undefined {
  const end = qualified.indexOf(SEPARATOR);
  const server = qualified.slice(0, Math.max(0, end)).toLowerCase();
  return servers.includes(server) ? { server, name: qualified.slice(end + SEPARATOR.length) } : undefined;
}
