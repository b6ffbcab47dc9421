import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Guard } from '#serve/http/route.ts';
import { admit, type Lifecycle, runAdmitted } from '#serve/lifecycle.ts';
import type { ToolCaller } from '../access/caller.ts';
import { serverName } from '../config/server-name.ts';
import { callerOfRequest } from './env.ts';
import { UPSTREAM_ERRORS } from './routes/operations.ts';

/**
 * What an admin route reads or changes: the server `:name` in the path, or the whole manager. With `some`,
 * the route filters its response itself.
 */
type AdminSubject = 'named' | 'all' | 'some';

/**
 * Access rules for the manager's routes. The app has already authenticated the caller; guards run before the
 * body is read.
 */
export interface ManagerGuards {
  /** For routes that show what the caller can use. */
  readonly caller: Guard;
  /** For routes that send requests to a server. Shutdown waits for them. */
  readonly upstream: Guard;
  /** For routes that search the lists of all servers. Shutdown waits for them. */
  readonly search: Guard;
  /** The options for admin routes. A shutdown waits for requests that change something. */
  readonly admin: (subject: AdminSubject) => Guard;
  /**
   * For routes that change files, or read files that can contain secrets: they require a key with edit
   * permission, even if no keys exist.
   */
  readonly editor: (subject: AdminSubject) => Guard;
  /** For routes that have an access rule of their own. */
  readonly own: (rule: Pick<Guard, 'errors'> & { readonly check: Check }) => Guard;
}

/** Throws if the caller is not allowed to send the request. */
type Check = (c: Context<ShellEnv>) => void;

export function createManagerGuards(lifecycle: Lifecycle): ManagerGuards {
  const own: ManagerGuards['own'] = ({ check, errors }) => ({ enter: checking(lifecycle, check), errors });
  return {
    own,
    caller: { errors: [] },
    upstream: { enter: admit(lifecycle), errors: UPSTREAM_ERRORS },
    search: { enter: admit(lifecycle), errors: [] },
    admin: (subject) => ({
      ...own({ check: (c) => requireAdminKey(c, subject), errors: [403] }),
      requires: 'Requires a key with admin permission.',
    }),
    editor: (subject) => ({
      ...own({ check: (c) => requireEditor(c, subject), errors: [403] }),
      requires: 'Requires a key with edit permission.',
    }),
  };
}

/** Checks a request. Shutdown waits for requests that change something. */
const checking =
  (lifecycle: Lifecycle, check: Check): MiddlewareHandler<ShellEnv> =>
  async (c, next) => {
    const checked = async (): Promise<void> => {
      check(c);
      await next();
    };
    await (SAFE_METHODS.has(c.req.method) ? checked() : runAdmitted(lifecycle, checked));
  };

function requireEditor(c: Context<ShellEnv>, subject: AdminSubject): void {
  requireAdminKey(c, subject);
  if (callerOfRequest(c).edit === true) return;
  throw new AppError(
    'ForbiddenError',
    'Changes over HTTP require a key with edit permission. Create one with `mcp-manager keys create --edit`.',
  );
}

/** The key's server limits apply here as well; a read-only admin key is rejected based on the request method. */
export function requireAdminKey(c: Context<ShellEnv>, subject: AdminSubject): void {
  const caller = callerOfRequest(c);
  if (!caller.admin) throw new AppError('ForbiddenError', noPermission(caller));
  if (caller.adminReadOnly === true && !SAFE_METHODS.has(c.req.method)) {
    throw new AppError(
      'ForbiddenError',
      `The key ${JSON.stringify(caller.name)} is read-only. Use a key created with \`mcp-manager keys create --admin\`.`,
    );
  }
  if (subject === 'some') return;
  if (subject === 'all') {
    if (caller.isLimited !== true) return;
    throw new AppError(
      'ForbiddenError',
      `${JSON.stringify(caller.name)} is limited to some servers, but this request requires access to all servers. Use an admin key without server limits.`,
    );
  }
  const server = c.req.param('name') ?? '';
  if (caller.canUse(serverName(server))) return;
  throw new AppError('ForbiddenError', `server not allowed: ${server}`);
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const noPermission = ({ name, grants }: ToolCaller): string =>
  grants === undefined
    ? `The key ${JSON.stringify(name)} has no admin permission. Create a key with \`mcp-manager keys create --admin\`.`
    : 'The access token has no admin scope. Use a token or key with admin permission.';
