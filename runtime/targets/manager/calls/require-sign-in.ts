import { abortSignalOf } from '#core/limits/cancellation.ts';
import { randomUUID } from 'node:crypto';
import { waitFor } from '#platform/wait-for.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { isPerUser } from '../config/spec.ts';
import { signInRequired } from '../sign-in/sign-in-required.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { requestFromClient } from '../upstream/server-requests.ts';
import type { CallHeaders, ServerCall } from './call.ts';

/** Returns the URL of the page where a user signs in to a server; undefined if there is none. */
export type SignInPage = (server: string, headers: CallHeaders | undefined) => string | undefined;

export interface SignInParts {
  readonly supervisor: Pick<Supervisor, 'subscribe'>;
  readonly signInPage?: SignInPage | undefined;
}

/** Time limit for a sign-in during a call. */
const SIGN_IN_MS = 5 * 60_000;

/**
 * Rejects a call to a server that its user has not signed in to. With `asks`, an MCP client that
 * can open pages is prompted to open the sign-in page, and the call continues after the sign-in.
 * Returns undefined if there is nothing to wait for, so that calls keep their order.
 */
export function requireSignIn(
  server: ManagedServer,
  call: ServerCall,
  parts: SignInParts,
  asks: boolean,
): Promise<void> | undefined {
  const { user } = call.caller;
  // The connection rejects a caller without an identity.
  if (!isPerUser(server.spec()) || user === undefined) return undefined;
  const isSignedIn = (): boolean => server.forUser(user).signIn() === 'signed-in';
  return isSignedIn() ? undefined : askForSignIn({ server, user, isSignedIn }, call, parts, asks);
}

interface Missing {
  readonly server: ManagedServer;
  readonly user: string;
  readonly isSignedIn: () => boolean;
}

async function askForSignIn(
  { server, user, isSignedIn }: Missing,
  { headers, requester, signal }: ServerCall,
  { supervisor, signInPage }: SignInParts,
  asks: boolean,
): Promise<void> {
  const page = signInPage?.(server.name, headers);
  const required = signInRequired(server.name, page);
  if (!asks || !requester || page === undefined) throw required;
  const signedIn = Promise.withResolvers<void>();
  // Subscribe first, because the person can finish signing in before the client responds.
  const forget = supervisor.subscribe((event) => {
    const isOwn = event.kind === 'sign-in-changed' && event.server === server.name && event.user === user;
    if (isOwn && isSignedIn()) signedIn.resolve();
  });
  try {
    const params = {
      mode: 'url',
      elicitationId: randomUUID(),
      url: page,
      message: `Sign in to ${server.name} to continue.`,
    };
    const request = { method: 'elicitation/create', params };
    const { action } = await requestFromClient(requester, request, abortSignalOf(signal));
    if (action !== 'accept') throw required;
    await waitFor(signedIn.promise, { timeoutMs: SIGN_IN_MS, signal, late: () => required });
  } catch (error) {
    const isUnsupported = error instanceof RpcError && error.code === RPC_CODE.methodNotFound;
    throw isUnsupported ? required : error;
  } finally {
    forget();
  }
}
