import type { Context, MiddlewareHandler } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { AppError } from '#contract/errors.ts';
import { type Caller, isCaller } from '../access/caller.ts';
import type { Groups } from '../access/groups.ts';
import { serverName } from '../config/server-name.ts';
import { groupPath } from '../access/selection.ts';
import type { PageCall, ServerCall } from '../calls/call.ts';

/** Returns the caller of a request. Routes without authentication have no caller and must not use it. */
export function callerOf(c: Context<ShellEnv>): Caller {
  const caller = c.get('caller');
  if (!isCaller(caller)) throw new Error(`${c.req.path} has no authentication, but requires a caller`);
  return caller;
}

/** The path of a group's endpoints, below which are the same routes as without a group. */
export const GROUP_PATH = '/groups/:group';

/** Returns the caller of a request to an endpoint of a group, limited to the group. */
export const groupCallerOf = (c: Context<ShellEnv>, groups: Groups): Caller =>
  groups.enter(callerOf(c), c.req.param('group') ?? '');

/** Limits the routes below `GROUP_PATH` to the group in the path. */
export const groupMiddleware =
  (groups: Groups): MiddlewareHandler<ShellEnv> =>
  async (c, next) => {
    c.set('caller', groupCallerOf(c, groups));
    await next();
  };

/** The path of the group that a request is limited to; empty without one. */
export const groupPathOf = (c: Context<ShellEnv>): string => groupPath(c.req.param('group'));

/** Returns the members of a server call that come from the request. The call is cancelled when the client disconnects. */
export const serverCall = (c: Context<ShellEnv>, server: string): ServerCall => ({
  caller: callerOf(c),
  server,
  requestId: c.get('requestId'),
  headers: c.req.raw.headers,
  signal: c.req.raw.signal,
});

/** The same for a list. Published clients of mcpd read one response only, so it has all pages. */
export const listCall = (c: Context<ShellEnv>, server: string): PageCall => ({
  ...serverCall(c, server),
  cursor: c.req.query('cursor') || undefined,
  wholeList: true,
});

/** The part of the manager that an administrator reads or changes: one server, or all of it. `some` filters its answer itself. */
export type AdminSubject = { readonly server: string } | 'all' | 'some';

/** Returns the caller of a request that changes files; every other caller is refused, also if there are no keys. */
export function requireEditor(c: Context<ShellEnv>, subject: AdminSubject): Caller {
  const caller = requireAdmin(c, subject);
  if (caller.edit === true) return caller;
  throw new AppError(
    'ForbiddenError',
    'Changes over HTTP require a key with edit permission. Create one with `mcp-manager keys create --edit`.',
  );
}

/**
 * Returns the caller of a request for administrators. The limits of a key to servers hold here, too; a key that can only read is
 * refused by the method of the request.
 */
export function requireAdmin(c: Context<ShellEnv>, subject: AdminSubject): Caller {
  const caller = callerOf(c);
  if (!caller.admin) throw new AppError('ForbiddenError', noPermission(caller));
  if (caller.adminReadOnly === true && !SAFE_METHODS.has(c.req.method)) {
    throw new AppError(
      'ForbiddenError',
      `The key ${JSON.stringify(caller.name)} can only read. Use a key of \`mcp-manager keys create --admin\`.`,
    );
  }
  if (subject === 'some') return caller;
  if (subject === 'all') {
    if (caller.isLimited !== true) return caller;
    throw new AppError(
      'ForbiddenError',
      `${JSON.stringify(caller.name)} is limited to some servers, and this concerns all of them. Use an admin key without such limits.`,
    );
  }
  if (caller.canUse(serverName(subject.server))) return caller;
  throw new AppError('ForbiddenError', `server not allowed: ${subject.server}`);
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const noPermission = ({ name, grants }: Caller): string =>
  grants === undefined
    ? `The key ${JSON.stringify(name)} has no admin permission. Create a key with \`mcp-manager keys create --admin\`.`
    : 'The access token has no admin scope. Use a token or a key that has admin permission.';
