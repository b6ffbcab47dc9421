/** Between a server's name and the name of what it offers. Names of servers never have it, those of tools may. */
const SEPARATOR = '__';

export interface QualifiedName {
  readonly server: string;
  readonly name: string;
}

/** The name under which something of one server is known where all servers are: `server__name`. */
export const qualify = (server: string, name: string): string => `${server}${SEPARATOR}${name}`;

/** Undoes `qualify`; nothing if no such server is among these. */
export function splitQualified(qualified: string, servers: readonly string[]): QualifiedName | undefined {
  const end = qualified.indexOf(SEPARATOR);
  const server = qualified.slice(0, Math.max(0, end)).toLowerCase();
  return servers.includes(server) ? { server, name: qualified.slice(end + SEPARATOR.length) } : undefined;
}
