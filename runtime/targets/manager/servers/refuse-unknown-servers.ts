import { type Selection, serverOfPattern } from '../access/selection.ts';
import { unknownServer } from '../config-edit/named-index.ts';

/** Rejects names of servers that do not exist, because such a client would have no tools without knowing why. */
export function refuseUnknownServers({ servers, tools }: Selection, known: readonly string[]): void {
  const names = [...servers, ...tools.map(serverOfPattern)];
  const unknown = names.find((name) => !name.includes('*') && !known.includes(name.toLowerCase()));
  if (unknown !== undefined) throw unknownServer(unknown, known);
}
