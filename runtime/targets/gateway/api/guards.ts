import type { Context, MiddlewareHandler, Next } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { Principal } from '#serve/access.ts';
import { admit } from '#serve/lifecycle.ts';
import { isLoopbackHost } from '#serve/http/request-head.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Guard } from '#serve/http/route.ts';
import type { RefusedAttempt } from '../accounts/audit/refused-attempts.ts';
import { RAW_HEADERS, shownPrefixIn, workerTokenIn } from '../accounts/identity/credentials.ts';
import type { Caller, Manager, HeaderReader, Payer } from '../accounts/identity/identity.ts';
import { requireAdmin, requireReader } from '../accounts/identity/manager.ts';
import { refuseManagementKey } from '../accounts/identity/create-identity.ts';
import type { ModelCallContext } from '../context.ts';
import type { CompletionRequest, ReplayNotes } from '../requests/completions/completion.ts';
import type { AssertModelAllowed } from '../evaluation/workflows/workflow.ts';
import type { GatewayState } from '../gateway-state.ts';
import { ALL_DATA, type Owner, type Viewer } from '../shared/owner.ts';
import type { Actor } from '../store/audit/audit-trail.ts';
import type { GatewayAppOptions } from './app-options.ts';
import { createCredentialReader } from './browser-session.ts';

/** The sender of a request, for the audit log. */
const actorOf = (c: Context<ShellEnv>, caller: Caller | 'anyone'): Actor => ({
  ...identityOf(caller),
  address: addressOf(c),
  forwardedFor: c.req.header('X-Forwarded-For'),
  requestId: c.get('requestId'),
});

function identityOf(caller: Caller | 'anyone'): Pick<Actor, 'kind' | 'id' | 'userId'> {
  if (caller === 'anyone') return { kind: 'anyone' };
  if (caller.kind === 'master') return { kind: 'master' };
  return { kind: 'key', id: caller.key.id, userId: caller.user.userId };
}

interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** The client's IP address; undefined if the app is called without a server. */
function addressOf(c: Context): string | undefined {
  const bindings: Bindings | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress;
}

/** A caller whose request can wait. */
interface Renewable {
  /** Authenticates the same credential again, see `SignIn.payerAgain`. */
  readonly again: () => Promise<Payer>;
}

/** The caller that a credential identifies, and a name for the log. */
interface SignedIn extends Principal {
  readonly caller: Caller;
}

/** A caller of the routes that manage the gateway. */
interface SignedInManager extends SignedIn {
  readonly manager: Manager;
}

/** A caller of models: a client, or a worker that runs a client's job. */
interface ModelCaller extends Principal, Renewable {
  readonly payer: Payer;
  /** Set for requests whose response is kept for retries. */
  readonly replay?: ReplayNotes | undefined;
}

interface SignIn {
  /** Authenticates by master key or API key. Throws an UnauthorizedError, or a ForbiddenError for a blocked user. */
  caller(headers: HeaderReader): Promise<SignedIn>;
  /** Same as `caller`, but also accepts worker tokens. Throws a ConflictError if the worker has lost its job. */
  modelCaller(headers: HeaderReader): Promise<ModelCaller>;
  /** Authenticates a caller that manages the gateway. Throws the errors of `Identity.authenticateManager`. */
  manager(headers: HeaderReader): Promise<SignedInManager>;
  /**
   * Repeats `modelCaller` for a connection that stays open or a request that waits, so that it does not outlast
   * its credential: a key, a replaced secret in its grace period, a workload's token or a worker's lease. A
   * rejection is not counted as a failed sign-in.
   */
  payerAgain(headers: HeaderReader): Promise<Payer>;
}

/**
 * Creates the functions that authenticate callers. They also count rejected credentials in the metrics.
 */
export function createSignIn({
  state,
  workerPayer,
  telemetry,
  modelFollower,
}: Pick<ModelCallContext, 'state' | 'workerPayer' | 'telemetry' | 'modelFollower'>): SignIn {
  const { identity } = state;
  const counted = (error: unknown): unknown => {
    if (error instanceof AppError && error.code === 'UnauthorizedError') {
      telemetry.authFailed(error.reason ?? 'invalid_key');
    }
    return error;
  };
  /**
   * Also applies changes that other processes have made to providers and aliases. There is almost never a
   * change to wait for.
   */
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
  const payerAgain = async (headers: HeaderReader): Promise<Payer> => (await modelCaller(headers)).payer;
  const modelCaller = async (headers: HeaderReader): Promise<ModelCaller> => {
    const token = workerTokenIn(headers);
    const again = () => payerAgain(headers);
    if (token !== undefined) return { name: 'worker', payer: await workerPayer(token), again };
    const { name, caller: payer } = await authenticated(headers);
    return { name, payer, again };
  };
  return {
    caller,
    async modelCaller(headers) {
      try {
        return await modelCaller(headers);
      } catch (error) {
        throw counted(error);
      }
    },
    payerAgain,
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

/** The name appears in the log, so it is the key's prefix, never the key itself. */
const signedIn = (caller: Caller): SignedIn => ({
  name: caller.kind === 'master' ? 'master' : caller.key.prefix,
  caller,
});

/**
 * Access rules for the gateway's routes. Each guard also registers the request with the lifecycle, so that
 * shutdown waits for it.
 */
export interface Guards {
  /** For routes that accept any credential. */
  readonly anyKey: Guard;
  /**
   * For routes that only programs call. They accept neither sign-in cookies nor keys of scope `manage`.
   */
  readonly programKey: Guard;
  /** For routes that can change everything. They require the master key or the role `admin`. */
  readonly admin: Guard;
  /** For routes that can read everything. They require the master key, or the role `admin` or `viewer`. */
  readonly reader: Guard;
  /**
   * For routes that any manager can call and that check for themselves what the caller is allowed to do.
   * This is the usual case.
   */
  readonly manager: (rule?: string) => Guard;
  /**
   * For datasets, experiments, workflows and jobs, which accept any credential that can call models. On
   * loopback without a master key, a credential is not required, and requests without one have the
   * permissions of the master key.
   */
  readonly evaluation: Guard;
  /**
   * Repeats the guard `evaluation` for a stream that stays open, so that it ends with its credential. The
   * caller is replaced, because what it can see may have changed.
   */
  readonly evaluationAgain: (c: Context<ShellEnv>) => Promise<void>;
  /** For model calls, including those by workers. The routes register the requests with the lifecycle themselves. */
  readonly models: Guard;
}

/** Creates the guards, which authenticate a request before its body is read. */
export function createGuards(
  context: ModelCallContext,
  { server, hasMasterKey }: Pick<GatewayAppOptions, 'server' | 'hasMasterKey'>,
): Guards {
  const signIn = createSignIn(context);
  const { audit, refusedAttempts } = context.state;
  const credentialsOf = createCredentialReader(context.signInUrl);
  const admitted = admit(context.kernel.lifecycle);
  const isOpen = !hasMasterKey && isLoopbackHost(server.host);
  const enter = async (
    c: Context<ShellEnv>,
    next: Next,
    signedIn: SignedIn & Partial<Renewable>,
    actor = actorOf(c, signedIn.caller),
  ): Promise<void> => {
    c.set('caller', signedIn);
    await audit.actingAs(actor, () => admitted(c, next));
  };
  const managing =
    (check: (manager: Manager) => void): MiddlewareHandler<ShellEnv> =>
    async (c, next) => {
      let signedIn: SignedInManager;
      try {
        signedIn = await signIn.manager(credentialsOf(c));
        check(signedIn.manager);
      } catch (error) {
        const attempt = refusedAttempt(c, error);
        if (attempt) refusedAttempts.note(attempt);
        throw error;
      }
      await enter(c, next, signedIn);
    };
  const anyManager = managing(() => undefined);
  return {
    anyKey: {
      async enter(c, next) {
        const headers = credentialsOf(c);
        const again = () => signIn.payerAgain(headers);
        await enter(c, next, { ...(await signIn.caller(headers)), again });
      },
      errors: KEY_ERRORS,
    },
    programKey: {
      async enter(c, next) {
        const signedIn = await signIn.caller(c.req.raw.headers);
        refuseManagementKey(signedIn.caller);
        await enter(c, next, signedIn);
      },
      requires: 'Requires the master key or an API key with the scope `models`. A sign-in is not accepted.',
      errors: KEY_ERRORS,
    },
    admin: {
      enter: managing(requireAdmin),
      requires: 'Requires the master key or the role admin.',
      errors: KEY_ERRORS,
    },
    reader: {
      enter: managing(requireReader),
      requires: 'Requires the master key or the role viewer.',
      errors: KEY_ERRORS,
    },
    manager: (rule) => ({
      enter: anyManager,
      requires: `Requires the master key, or a key with the scope \`manage\`${rule === undefined ? '.' : `: ${rule}`}`,
      errors: KEY_ERRORS,
    }),
    evaluation: {
      async enter(c, next) {
        const isAnyone = isOpen && !CREDENTIALS.some((header) => c.req.header(header));
        const signedIn = isAnyone ? ANYONE : await signIn.caller(c.req.raw.headers);
        refuseManagementKey(signedIn.caller);
        await enter(c, next, signedIn, actorOf(c, isAnyone ? 'anyone' : signedIn.caller));
      },
      errors: KEY_ERRORS,
    },
    async evaluationAgain(c) {
      if (c.get('caller') === ANYONE) return;
      const payer = await signIn.payerAgain(c.req.raw.headers);
      if (payer.kind === 'work') throw new Error('A worker token passed the guard for evaluation.');
      refuseManagementKey(payer);
      c.set('caller', signedIn(payer));
    },
    models: {
      async enter(c, next) {
        c.set('caller', await signIn.modelCaller(c.req.raw.headers));
        await next();
      },
      signIn: (headers) => signIn.modelCaller(headers),
      errors: KEY_ERRORS,
    },
  };
}

/** Errors of routes that accept keys, because the user of a key can be blocked or deleted. */
export const KEY_ERRORS: readonly ErrorStatus[] = [403, 404, 500, 503];

const ANYONE: SignedIn = { name: 'anyone', caller: { kind: 'master' } };
const CREDENTIALS = ['X-Gateway-Key', 'Authorization', ...RAW_HEADERS];

/**
 * What the audit log records about a rejected credential; undefined for other errors. For an API key, this
 * is the prefix that is shown in lists.
 */
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

/** Returns the caller of a route with the guard for model calls. */
function payerOf(caller: Principal | undefined): Payer {
  if (!caller || !('payer' in caller)) throw new Error('A route calls models, but has no guard for them.');
  return (caller as ModelCaller).payer;
}

/** Returns the members of a model request that its caller determines. */
export const modelCallOf = (
  caller: Principal | undefined,
): Pick<CompletionRequest, 'caller' | 'callerAgain' | 'replay'> => ({
  caller: payerOf(caller),
  callerAgain: callerAgainOf(caller),
  replay: (caller as ModelCaller).replay,
});

/** Returns the function that authenticates the caller again, of a route whose requests can wait. */
export const callerAgainOf = (caller: Principal | undefined): (() => Promise<Payer>) | undefined =>
  (caller as Partial<Renewable> | undefined)?.again;

/** The caller of a route, as for model calls; undefined for a route that has no guard. */
export function anyPayerOf(caller: Principal | undefined): Payer | undefined {
  if (caller && 'payer' in caller) return payerOf(caller);
  return isSignedIn(caller) ? caller.caller : undefined;
}

/** Returns the manager who calls a route with a guard for managers. */
export function managerIn(c: Context<ShellEnv>): Manager {
  const signedIn = c.get('caller');
  if (!isManager(signedIn)) throw new Error(`${c.req.path} reads the manager, but has no guard`);
  return signedIn.manager;
}

/** Returns the caller of a route with any of the guards. */
export function callerOf(c: Context<ShellEnv>): Caller {
  const signedIn = c.get('caller');
  if (!isSignedIn(signedIn)) throw new Error(`${c.req.path} reads the caller, but has no guard`);
  return signedIn.caller;
}

/**
 * Whose resources a caller can see, who owns the resources that the caller creates, and who pays for them.
 */
interface CallerView {
  readonly viewer: Viewer;
  readonly owner: Owner | null;
  readonly teamId: string | null;
  /** The key whose limits and status apply to what the caller starts; null for the master key. */
  readonly keyId: string | null;
}

export function viewOf(c: Context<ShellEnv>): CallerView {
  const caller = callerOf(c);
  if (caller.kind === 'master') return { ...ALL_DATA, teamId: null, keyId: null };
  const { data, key, user } = caller;
  return { ...data, teamId: key.teamId ?? user.teamId, keyId: key.id };
}

/**
 * Returns a function that asserts that the caller can use a model. It is called when a job is created,
 * because the job only runs later.
 */
export async function modelCheckFor(
  { identity }: Pick<GatewayState, 'identity'>,
  caller: Caller,
): Promise<AssertModelAllowed> {
  if (caller.kind === 'master') return () => undefined;
  const spender = await identity.spender(caller, undefined);
  return (model) => identity.requireModel(spender, model);
}
