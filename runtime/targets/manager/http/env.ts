import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { type ToolCaller, isCaller } from '../access/caller.ts';
import type { CallerGroups } from '../access/groups.ts';
import { groupPath } from '../access/selection.ts';
import type { PageCall, ServerCall } from '../calls/call.ts';

/** Returns the caller of a request. Routes without authentication have no caller and must not use it. */
export function callerOfRequest(c: Context<ShellEnv>): ToolCaller {
  const caller = c.get('caller');
  if (!isCaller(caller)) throw new Error(`${c.req.path} has no authentication, but requires a caller`);
  return caller;
}

/** The path of a group's endpoints. The routes below it are the same as without a group. */
export const GROUP_PATH = '/groups/:group';

/** Returns the caller of a request to a group endpoint, limited to the group. */
export const groupCallerOf = (c: Context<ShellEnv>, groups: CallerGroups): ToolCaller =>
  groups.enter(callerOfRequest(c), c.req.param('group') ?? '');

/** The path of the group that a request is limited to; empty if none. */
export const groupPathOf = (c: Context<ShellEnv>): string => groupPath(c.req.param('group'));

/**
 * Returns the fields of a server call that come from the request. The call is canceled when the
 * client disconnects.
 */
export const serverCall = (c: Context<ShellEnv>, server: string): ServerCall => ({
  caller: callerOfRequest(c),
  server,
  requestId: c.get('requestId'),
  headers: c.req.raw.headers,
  signal: c.req.raw.signal,
});

/**
 * Returns the same members for a list call. The list contains all pages, because published mcpd clients only
 * read one response.
 */
export const listCall = (c: Context<ShellEnv>, server: string): PageCall => ({
  ...serverCall(c, server),
  cursor: c.req.query('cursor') || undefined,
  wholeList: true,
});
