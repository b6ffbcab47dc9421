import type { Context, MiddlewareHandler } from 'hono';
import { admit } from '../../../../serve/http/admit.ts';
import { isLoopbackHost } from '../../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../../serve/http/request-id.ts';
import type { GatewayContext } from '../../context.ts';
import type { Viewer } from '../../lab/datasets/dataset.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import { callerOf, createSignIn } from './sign-in.ts';

/**
 * For datasets, experiments and the like: any credential opens them. None is needed where nobody but this machine can ask and no
 * master key is set; whoever asks without one then is as whoever has the master key.
 */
export function createWorkGuard(
  context: GatewayContext,
  { server, hasMasterKey }: Pick<GatewayAppOptions, 'server' | 'hasMasterKey'>,
): MiddlewareHandler<ShellEnv> {
  const signIn = createSignIn(context);
  const admitted = admit(context.kernel.lifecycle);
  const isOpen = !hasMasterKey && isLoopbackHost(server.host);
  return async (c, next) => {
    const brought = CREDENTIALS.some((header) => c.req.header(header));
    const anyone = { name: 'anyone', caller: { kind: 'master' } as const };
    c.set('caller', isOpen && !brought ? anyone : await signIn.anyone(c.req.raw.headers));
    await admitted(c, next);
  };
}

const CREDENTIALS = ['X-Gateway-Key', 'Authorization', 'x-api-key'];

/** What the caller may see, and whose is what the caller makes. */
export function viewOf(c: Context<ShellEnv>): { readonly viewer: Viewer; readonly owner: string | null } {
  const caller = callerOf(c);
  if (caller.kind === 'master') return { viewer: 'everyone', owner: null };
  const { userId } = caller.user;
  return { viewer: { user: userId }, owner: userId };
}
