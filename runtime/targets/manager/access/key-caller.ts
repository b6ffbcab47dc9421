import { matchesAny } from '../../../core/text/name-pattern.ts';
import type { Caller } from './caller.ts';
import type { KeyRecord } from './key-record.ts';

/**
 * What a key opens. `servers` are patterns of servers; `tools`, `prompts` and `resources` are patterns of `server/name`. A server
 * that any of the latter is about only opens what fits one of its kind: a key for tools opens no prompts and resources. Other
 * servers are open as a whole. Without `servers`, the key opens the servers that the patterns are about, and all without patterns.
 */
export function keyCaller(record: KeyRecord): Caller {
  const { name, admin, readOnly, servers } = record;
  const scopes = {
    tool: record.tools.map(splitPattern),
    prompt: (record.prompts ?? []).map(splitPattern),
    resource: (record.resources ?? []).map(splitPattern),
  };
  const all = Object.values(scopes).flat();
  const opened = servers.length > 0 ? servers : all.map(({ server }) => server);
  const opensServer = (server: string): boolean => opened.length === 0 || matchesAny(opened, server);
  const opens = (server: string, kind: keyof typeof scopes, item: string): boolean => {
    const isAbout = (scope: Scope): boolean => matchesAny([scope.server], server);
    if (!opensServer(server)) return false;
    if (!all.some(isAbout)) return true;
    const patterns = scopes[kind].filter(isAbout).map(({ pattern }) => pattern);
    return matchesAny(patterns, item);
  };
  return {
    name,
    admin,
    readOnly,
    mayUse: (server, tool) => (tool === undefined ? opensServer(server) : opens(server, 'tool', tool)),
    mayRead: opens,
  };
}

interface Scope {
  readonly server: string;
  readonly pattern: string;
}

/** Names of tools and URIs may have slashes, servers have none. */
function splitPattern(text: string): Scope {
  const at = text.indexOf('/');
  return at === -1
    ? { server: text, pattern: '*' }
    : { server: text.slice(0, at), pattern: text.slice(at + 1) };
}
