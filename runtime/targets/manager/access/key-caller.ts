import { matchesAny } from '../../../core/name-pattern.ts';
import type { Caller } from './caller.ts';
import type { KeyRecord } from './key-record.ts';

/**
 * What the holder of a key may do. `servers` are patterns of servers, `tools` patterns of `server/tool`. A server that some
 * tool pattern is about only gives the tools that fit one of those; others give all of theirs. Without `servers` those count
 * that the tool patterns are about, and without either all.
 */
export function keyCaller({ name, admin, readOnly, servers, tools }: KeyRecord): Caller {
  const scopes = tools.map(splitPattern);
  const allowed = servers.length > 0 ? servers : scopes.map(({ server }) => server);
  const anyServer = allowed.length === 0;
  return {
    name,
    admin,
    readOnly,
    mayUse(server, tool) {
      if (!anyServer && !matchesAny(allowed, server)) return false;
      if (tool === undefined) return true;
      const about = scopes.filter((scope) => matchesAny([scope.server], server));
      return (
        about.length === 0 ||
        matchesAny(
          about.map((scope) => scope.tool),
          tool,
        )
      );
    },
  };
}

/** Tools may have a slash in their names, servers have none. */
function splitPattern(pattern: string): { server: string; tool: string } {
  const at = pattern.indexOf('/');
  return at === -1
    ? { server: pattern, tool: '*' }
    : { server: pattern.slice(0, at), tool: pattern.slice(at + 1) };
}
