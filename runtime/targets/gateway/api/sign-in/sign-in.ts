import type { Context, MiddlewareHandler, Next } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { Principal } from '#serve/access.ts';
import { admit } from '#serve/http/admit.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { RefusedAttempt } from '../../accounts/audit/refused-attempts.ts';
import { shownPrefixIn } from '../../accounts/identity/credentials.ts';
import type { CredentialReader } from '../auth/session-credentials.ts';
import type { GatewayContext } from '../../context.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Manager, Caller, HeaderReader, Payer } from '../../accounts/identity/identity.ts';
import { requireAdmin, requireReader } from '../../accounts/identity/manager.ts';
import { refuseManagementKey } from '../../accounts/identity/spender.ts';
import { actorOf } from './actor-of.ts';

/** The caller that a credential belongs to, with a name for the log. */
interface SignedIn extends Principal {
  readonly caller: Caller;
}

/** A caller that manages the gateway. */
interface SignedInManager extends SignedIn {
  readonly manager: Manager;
}

/** A caller of models: a client, or a worker that runs a job for one. */
export interface ModelCaller extends Principal {
  readonly payer: Payer;
}

export interface SignIn {
  /** Authenticates by the master key or an API key. Throws an UnauthorizedError, or a ForbiddenError for a blocked user. */
  caller(headers: HeaderReader): Promise<SignedIn>;
  /** Same as `caller`, but also accepts the token of a worker. Throws a ConflictError if the worker has lost its job. */
  modelCaller(headers: HeaderReader): Promise<ModelCaller>;
  /** Authenticates a caller that manages the gateway. Throws the errors of `Identity.authenticateManager`. */
  manager(headers: HeaderReader): Promise<SignedInManager>;
}

/** Creates the authentication, which also counts refused credentials in the metrics. */
export function createSignIn({
  state,
  jobs,
  telemetry,
  modelFollower,
}: Pick<GatewayContext, 'state' | 'jobs' | 'telemetry' | 'modelFollower'>): SignIn {
  const { identity } = state;
  const counted = (error: unknown): unknown => {
    if (error instanceof AppError && error.code === 'UnauthorizedError') {
      telemetry.authFailed(error.reason ?? 'invalid_key');
    }
    return error;
  };
  /** Also applies the providers and aliases that other processes have changed. There is almost never anything to wait for. */
  const authenticated = async (headers: HeaderReader): Promise<SignedIn> => {
    const found = signedIn(await identity.authenticate(headers));
    const pending = modelFollower.refresh();
    if (pending) await pending;
    return found;
  };
  const caller = async (headers: HeaderReader): Promise<SignedIn> => {
    try {
      return await authenticated(headers);
    } catch (error) {
      throw counted(error);
    }
  };
  return {
    caller,
    async modelCaller(headers) {
      try {
        const work = jobs.access.payer(headers);
        if (work) return { name: 'worker', payer: await work };
        const { name, caller: payer } = await authenticated(headers);
        return { name, payer };
      } catch (error) {
        throw counted(error);
      }
    },
    async manager(headers) {
      try {
        const caller = await identity.authenticateManager(headers);
        return { ...signedIn(caller), manager: await identity.manager(caller) };
      } catch (error) {
        throw counted(error);
      }
    },
  };
}

/** The name is for the log, so it is the prefix of the key, never the key. */
const signedIn = (caller: Caller): SignedIn => ({
  name: caller.kind === 'master' ? 'master' : caller.key.prefix,
  caller,
});

export interface Guards {
  /** For routes that accept any credential. */
  readonly anyKey: MiddlewareHandler<ShellEnv>;
  /** For routes that only programs call: they accept neither the cookie of a sign-in nor a key that manages. */
  readonly programKey: MiddlewareHandler<ShellEnv>;
  /** For routes that change everything: they require the master key or the role admin. */
  readonly admin: MiddlewareHandler<ShellEnv>;
  /** For routes that read everything: they require the role admin or viewer. */
  readonly reader: MiddlewareHandler<ShellEnv>;
  /** For routes that check themselves what the caller, any manager, is allowed to do. */
  readonly manager: MiddlewareHandler<ShellEnv>;
}

interface GuardParts extends Pick<GatewayState, 'audit' | 'refusedAttempts'> {
  readonly credentialsOf: CredentialReader;
}

/** Guards authenticate a request before its body is read, and register it with the lifecycle, so that shutdown waits for it. */
export function createGuards(
  signIn: SignIn,
  lifecycle: Lifecycle,
  { audit, refusedAttempts, credentialsOf }: GuardParts,
): Guards {
  const admitted = admit(lifecycle);
  const managing =
    (check: (manager: Manager) => void): MiddlewareHandler<ShellEnv> =>
    async (c, next) => {
      let signedIn: SignedIn & { readonly manager: Manager };
      try {
        signedIn = await signIn.manager(credentialsOf(c));
        check(signedIn.manager);
      } catch (error) {
        const attempt = refusedAttempt(c, error);
        if (attempt) refusedAttempts.note(attempt);
        throw error;
      }
      c.set('caller', signedIn);
      await audit.actingAs(actorOf(c, signedIn.caller), () => admitted(c, next));
    };
  const enter = async (c: Context<ShellEnv>, signedIn: SignedIn, next: Next): Promise<void> => {
    c.set('caller', signedIn);
    await audit.actingAs(actorOf(c, signedIn.caller), () => admitted(c, next));
  };
  return {
    anyKey: async (c, next) => await enter(c, await signIn.caller(credentialsOf(c)), next),
    async programKey(c, next) {
      const signedIn = await signIn.caller(c.req.raw.headers);
      refuseManagementKey(signedIn.caller);
      await enter(c, signedIn, next);
    },
    admin: managing(requireAdmin),
    reader: managing(requireReader),
    manager: managing(() => undefined),
  };
}

/** What is recorded of a refused credential; undefined for other errors. Of an API key, it has the prefix that lists show. */
function refusedAttempt(c: Context<ShellEnv>, error: unknown): RefusedAttempt | undefined {
  if (!(error instanceof AppError) || !REFUSALS.has(error.code)) return undefined;
  const id = shownPrefixIn(c.req.raw.headers);
  return {
    actor: { ...actorOf(c, 'anyone'), ...(id !== undefined && { kind: 'key', id }) },
    route: `${c.req.method} ${c.req.path}`,
    reason: error.reason ?? 'invalid_key',
  };
}

const REFUSALS: ReadonlySet<string> = new Set(['UnauthorizedError', 'ForbiddenError']);

const isSignedIn = (principal: object | undefined): principal is SignedIn =>
  principal !== undefined && 'caller' in principal;

const isManager = (principal: object | undefined): principal is SignedInManager =>
  isSignedIn(principal) && 'manager' in principal;

/** Returns the manager that calls a route with a guard for managers. */
export function managerIn(c: Context<ShellEnv>): Manager {
  const signedIn = c.get('caller');
  if (!isManager(signedIn)) throw new Error(`${c.req.path} reads the manager, but has no guard`);
  return signedIn.manager;
}

/** Returns the caller of a route with a guard. */
export function callerOf(c: Context<ShellEnv>): Caller {
  const signedIn = c.get('caller');
  if (!isSignedIn(signedIn)) throw new Error(`${c.req.path} reads the caller, but has no guard`);
  return signedIn.caller;
}
