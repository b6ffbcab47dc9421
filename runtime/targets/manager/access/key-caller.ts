import { matchesAny } from '#core/text/name-pattern.ts';
import type { ToolCaller, ReadableKind } from './caller.ts';
import type { KeyRecord } from './key-file.ts';

/** The fields of a key record that determine its permissions. */
type KeyPermissions = Pick<
  KeyRecord,
  'name' | 'admin' | 'adminReadOnly' | 'edit' | 'readOnly' | 'resultLimit' | 'mcpMode'
> & {
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  readonly prompts?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
};

/**
 * Returns the permissions of a key. `servers` are server patterns; `tools`, `prompts` and `resources` are
 * `server/name` patterns. On a server that one of the latter mentions, only matching items of each kind are
 * allowed: a key with only tool patterns allows no prompts or resources there. Other servers are fully
 * allowed. Without `servers`, the key allows the servers mentioned by the other patterns, or all servers if
 * there are no patterns.
 */
export function keyCaller(record: KeyPermissions): ToolCaller {
  const { name, admin, edit = false, readOnly, servers } = record;
  const scopes = {
    tool: record.tools.map(splitPattern),
    prompt: (record.prompts ?? []).map(splitPattern),
    resource: (record.resources ?? []).map(splitPattern),
  };
  const all = Object.values(scopes).flat();
  const allowed = servers.length > 0 ? servers : all.map(({ server }) => server);
  const allowsServer = (server: string): boolean => allowed.length === 0 || matchesAny(allowed, server);
  const matchesScopes = (server: string, kind: keyof typeof scopes, item: string): boolean => {
    const mentions = (scope: Scope): boolean => matchesAny([scope.server], server);
    if (!allowsServer(server)) return false;
    if (!all.some(mentions)) return true;
    const patterns = scopes[kind].filter(mentions).map(({ pattern }) => pattern);
    return matchesAny(patterns, item);
  };
  const allows = all.length === 0 ? allowsServer : remembered(matchesScopes);
  return {
    name,
    admin,
    adminReadOnly: record.adminReadOnly,
    isLimited: (allowed.length > 0 && !allowed.includes('*')) || record.groups !== undefined,
    edit,
    readOnly,
    groups: record.groups,
    resultLimit: record.resultLimit,
    mcpMode: record.mcpMode,
    canUse: (server, tool) => (tool === undefined ? allowsServer(server) : allows(server, 'tool', tool)),
    canRead: allows,
  };
}

/** Maximum number and length of cached decisions per key, because callers choose the names. */
const MAX_DECISIONS = 1000;
const MAX_DECISION_LENGTH = 200;

/** Caches the latest decisions. The patterns never change: a changed key gets new permissions. */
function remembered(
  decide: (server: string, kind: 'tool' | ReadableKind, item: string) => boolean,
): typeof decide {
  const decisions = new Map<string, boolean>();
  return (server, kind, item) => {
    const about = `${kind} ${server}/${item}`;
    const known = decisions.get(about);
    if (known !== undefined) return known;
    const decision = decide(server, kind, item);
    if (about.length > MAX_DECISION_LENGTH) return decision;
    if (decisions.size >= MAX_DECISIONS) decisions.clear();
    decisions.set(about, decision);
    return decision;
  };
}

interface Scope {
  readonly server: string;
  readonly pattern: string;
}

/** Splits a pattern at the first slash: tool names and URIs can contain slashes, server names cannot. */
function splitPattern(text: string): Scope {
  const at = text.indexOf('/');
  return at === -1
    ? { server: text, pattern: '*' }
    : { server: text.slice(0, at), pattern: text.slice(at + 1) };
}
