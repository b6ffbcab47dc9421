import type { Context, MiddlewareHandler } from 'hono';
import { AppError } from '../../../../contract/errors.ts';
import type { Principal } from '../../../../serve/access.ts';
import { admit } from '../../../../serve/http/admit.ts';
import type { ShellEnv } from '../../../../serve/http/request-id.ts';
import type { Lifecycle } from '../../../../serve/lifecycle.ts';
import type { GatewayContext } from '../../context.ts';
import type { Caller, HeaderReader, Payer } from '../../accounts/identity/identity.ts';

/** Whoever a request's credential belongs to. */
interface SignedIn extends Principal {
  readonly caller: Caller;
}

/** Whoever may ask models: a caller, or work that runs for one. */
export interface Asking extends Principal {
  readonly payer: Payer;
}

export interface SignIn {
  /** Throws an UnauthorizedError unless the request brings the master key or a key that works, and what a blocked user is told. */
  anyone(headers: HeaderReader): Promise<SignedIn>;
  /** The same, and those that the token of a worker stands for. Throws a ConflictError if that worker has lost its job. */
  asking(headers: HeaderReader): Promise<Asking>;
  /** Throws an UnauthorizedError unless it brings the master key, an UnavailableError if there is none. */
  master(headers: HeaderReader): SignedIn;
}

/** Tells the metrics of every credential that is refused. */
export function createSignIn({
  state,
  jobs,
  telemetry,
}: Pick<GatewayContext, 'state' | 'jobs' | 'telemetry'>): SignIn {
  const { identity } = state;
  const noted = (error: unknown): unknown => {
    if (error instanceof AppError && error.code === 'UnauthorizedError') {
      telemetry.authFailed(error.reason ?? 'invalid_key');
    }
    return error;
  };
  const anyone = async (headers: HeaderReader): Promise<SignedIn> => {
    try {
      return signedIn(await identity.authenticate(headers));
    } catch (error) {
      throw noted(error);
    }
  };
  return {
    anyone,
    async asking(headers) {
      try {
        const work = jobs.access.payer(headers);
        if (work) return { name: 'worker', payer: await work };
        const { name, caller } = signedIn(await identity.authenticate(headers));
        return { name, payer: caller };
      } catch (error) {
        throw noted(error);
      }
    },
    master(headers) {
      try {
        identity.requireMaster(headers);
        return signedIn({ kind: 'master' });
      } catch (error) {
        throw noted(error);
      }
    },
  };
}

/** The name is for logs: what is shown of a key, never the key. */
const signedIn = (caller: Caller): SignedIn => ({
  name: caller.kind === 'master' ? 'master' : caller.key.prefix,
  caller,
});

export interface Guards {
  /** For routes that any credential opens. */
  readonly anyone: MiddlewareHandler<ShellEnv>;
  /** For routes that only the master key opens. */
  readonly master: MiddlewareHandler<ShellEnv>;
}

/** They let requests in before anything of the body is read, and count them in, so that what is let in is answered. */
export function createGuards(signIn: SignIn, lifecycle: Lifecycle): Guards {
  const admitted = admit(lifecycle);
  return {
    async anyone(c, next) {
      c.set('caller', await signIn.anyone(c.req.raw.headers));
      await admitted(c, next);
    },
    async master(c, next) {
      c.set('caller', signIn.master(c.req.raw.headers));
      await admitted(c, next);
    },
  };
}

/** Who sent the request, on a route that asked for a credential. */
export function callerOf(c: Context<ShellEnv>): Caller {
  const signedIn = c.get('caller') as SignedIn | undefined;
  if (!signedIn) throw new Error(`${c.req.path} asks who calls, but for no credential`);
  return signedIn.caller;
}
