import { serverName } from '../config/server-name.ts';
import type { ResourceSettings } from '../config/spec.ts';
import type { Caller } from './caller.ts';
import { keyCaller } from './key-caller.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Maximum length of the name of a user in logs. */
const MAX_NAME_LENGTH = 200;

/**
 * Returns the permissions of an access token with valid claims: those of its scopes, restricted to the servers of its audience.
 * Undefined if the claims name no user.
 */
export function tokenCaller(settings: ResourceSettings, claims: Claims): Caller | undefined {
  const user = nameIn(claims, settings.userClaim) ?? nameIn(claims, 'client_id') ?? nameIn(claims, 'azp');
  const subject = nameIn(claims, 'sub');
  if (user === undefined) return undefined;
  const granted = scopesOf(claims);
  const servers = audienceServers(settings, claims);
  const isAdmin = settings.adminScope !== undefined && granted.includes(settings.adminScope);
  const patterns = settings.scopes ? granted.flatMap((scope) => settings.scopes?.get(scope) ?? []) : ['*'];
  const permissions = patterns.map(permissionOf);
  const isForServer = (server: string): boolean => servers === undefined || servers.includes(server);
  return {
    name: `user:${user.slice(0, MAX_NAME_LENGTH)}`,
    admin: isAdmin,
    isLimited: servers !== undefined || !patterns.includes('*'),
    // Unlike a subject, a name or an address can be given to another person later.
    user: JSON.stringify(['token', settings.issuer, subject === undefined ? 'name' : 'sub', subject ?? user]),
    grants: [...granted.toSorted(), ...(servers ?? [])].join(' '),
    canUse: (server, tool) => isForServer(server) && permissions.some((one) => one.canUse(server, tool)),
    canRead: (server, kind, name) =>
      isForServer(server) && permissions.some((one) => one.canRead(server, kind, name)),
  };
}

/** Returns the permissions of a pattern, which are those of a key with only this pattern. */
const permissionOf = (pattern: string): Caller =>
  keyCaller({
    name: '',
    admin: false,
    readOnly: false,
    servers: pattern.includes('/') ? [] : [pattern],
    tools: pattern.includes('/') ? [pattern] : [],
  });

/** Returns the audiences of a token that are this manager: itself, `/mcp`, or `/mcp/{server}`. */
export function ownAudiences({ resource, audiences }: ResourceSettings, { aud }: Claims): string[] {
  const own = new Set([resource, `${resource}/`, `${resource}/mcp`, ...audiences]);
  return textsOf(aud).filter((text) => own.has(text) || text.startsWith(`${resource}/mcp/`));
}

/** Returns the servers that a token is for; undefined if it is for the whole manager. */
function audienceServers(settings: ResourceSettings, claims: Claims): string[] | undefined {
  const prefix = `${settings.resource}/mcp/`;
  const own = ownAudiences(settings, claims);
  if (!own.every((text) => text.startsWith(prefix) && !settings.audiences.includes(text))) return undefined;
  return own.map((text) => serverName(text.slice(prefix.length)));
}

/** The scopes in `scope`, or in `scp`, which some issuers use instead. */
const scopesOf = ({ scope, scp }: Claims): string[] =>
  textsOf(scope ?? scp).flatMap((text) => text.split(' ').filter((part) => part !== ''));

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');

function nameIn(claims: Claims, claim: string): string | undefined {
  const value = claims[claim];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
