import type { Context, MiddlewareHandler } from 'hono';
import { admit } from '#serve/http/admit.ts';
import { isLoopbackHost } from '#serve/http/host-rules.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { GatewayContext } from '../../context.ts';
import { RAW_HEADERS } from '../../accounts/identity/credentials.ts';
import { refuseManagementKey } from '../../accounts/identity/spender.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { actorOf } from './actor-of.ts';
import { callerOf, createSignIn } from './sign-in.ts';
import { ALL_DATA, type Owner, type Viewer } from '../../shared/owner.ts';

/**
 * Guard of datasets, experiments, workflows and jobs, which accept any credential. On loopback without a master key, none is
 * required; a request without one then has the permissions of the master key.
 */
export function createLabGuard(
  context: GatewayContext,
  { server, hasMasterKey }: Pick<GatewayAppOptions, 'server' | 'hasMasterKey'>,
): MiddlewareHandler<ShellEnv> {
  const signIn = createSignIn(context);
  const admitted = admit(context.kernel.lifecycle);
  const isOpen = !hasMasterKey && isLoopbackHost(server.host);
  return async (c, next) => {
    const hasCredential = CREDENTIALS.some((header) => c.req.header(header));
    const anyone = { name: 'anyone', caller: { kind: 'master' } as const };
    const isAnyone = isOpen && !hasCredential;
    const signedIn = isAnyone ? anyone : await signIn.caller(c.req.raw.headers);
    refuseManagementKey(signedIn.caller);
    c.set('caller', signedIn);
    const actor = actorOf(c, isAnyone ? 'anyone' : signedIn.caller);
    await context.state.audit.actingAs(actor, () => admitted(c, next));
  };
}

const CREDENTIALS = ['X-Gateway-Key', 'Authorization', ...RAW_HEADERS];

/** Whose resources a caller can see, who owns what the caller creates, and who pays for it. */
interface CallerView {
  readonly viewer: Viewer;
  readonly owner: Owner | null;
  readonly teamId: string | null;
  /** The key, whose limits and state hold for what the caller starts; null for the master key. */
  readonly keyId: string | null;
}

export function viewOf(c: Context<ShellEnv>): CallerView {
  const caller = callerOf(c);
  if (caller.kind === 'master') return { ...ALL_DATA, teamId: null, keyId: null };
  const { data, key, user } = caller;
  return { ...data, teamId: key.teamId ?? user.teamId, keyId: key.id };
}
