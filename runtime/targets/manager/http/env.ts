import type { Context } from 'hono';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { AppError } from '../../../contract/errors.ts';
import { type Caller, isCaller } from '../access/caller.ts';
import type { ServerCall } from '../calls/call.ts';

/** Who sent the request. What may be asked without a key has no caller, and does not ask for it. */
export function callerOf(c: Context<ShellEnv>): Caller {
  const caller = c.get('caller');
  if (!isCaller(caller)) throw new Error(`${c.req.path} is open to all, but asks who calls`);
  return caller;
}

/** What every call of a server needs to know of the request. It ends with the client. */
export const serverCall = (c: Context<ShellEnv>, server: string): ServerCall => ({
  caller: callerOf(c),
  server,
  requestId: c.get('requestId'),
  signal: c.req.raw.signal,
});

export function requireAdmin(c: Context<ShellEnv>): Caller {
  const caller = callerOf(c);
  if (caller.admin) return caller;
  throw new AppError(
    'ForbiddenError',
    `The key ${JSON.stringify(caller.name)} is not an administrator's; create one with \`keys create --admin\`.`,
  );
}
