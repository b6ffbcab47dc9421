import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { abortSignalOf } from '#core/limits/cancellation.ts';
import { waitFor } from '#platform/wait-for.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { LOCAL_USER } from '../access/caller.ts';
import { signsInPerUser } from '../config/spec.ts';
import { signInRequired } from '../sign-in/sign-in-required.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { requestFromClient } from '../upstream/server-requests.ts';
import type { SecretLink, SecretLinks } from '../user-secrets/secret-links.ts';
import type { CallHeaders, ServerCall } from './call.ts';

/** Returns the URL of the page where a user signs in to a server; undefined if there is none. */
export type SignInPage = (server: string, headers: CallHeaders | undefined) => string | undefined;

/** Returns the URL of the page where a user sets missing secrets; undefined if there is none. */
export type SecretPage = (link: SecretLink, headers: CallHeaders | undefined) => string | undefined;

/** Creates that function with the manager's links. */
export type SecretPageOf = (links: SecretLinks) => SecretPage;

export interface SignInParts {
  readonly supervisor: Pick<Supervisor, 'subscribe'>;
  readonly signInPage?: SignInPage | undefined;
  readonly secretPage?: SecretPage | undefined;
}

/** Time limit for a person to sign in, or to set secrets, during a call. */
const PERSON_MS = 5 * 60_000;

/**
 * Rejects a call to a server that its user has not signed in to, or that lacks secrets of its user. With `asks`, an
 * MCP client that can open pages is prompted to open the page for it, and the call continues afterwards.
 * Returns undefined if there is nothing to wait for, so that calls keep their order.
 */
export function requireUser(
  server: ManagedServer,
  call: ServerCall,
  parts: SignInParts,
  asks: boolean,
): Promise<void> | undefined {
  const missing = missingOf(server, call, parts, asks);
  return missing && askPerson(missing, call, parts, asks);
}

/** What a user must do before a call. */
interface Missing {
  readonly server: string;
  readonly user: string;
  readonly isDone: () => boolean;
  readonly page: string | undefined;
  readonly request: string;
  readonly error: AppError;
}

function missingOf(
  server: ManagedServer,
  { caller, headers }: ServerCall,
  { signInPage, secretPage }: SignInParts,
  asks: boolean,
): Missing | undefined {
  const { user } = caller;
  const { name } = server;
  const problem = server.problemOf(caller);
  if (problem) {
    if (user === undefined) throw new AppError('ForbiddenError', problem.message);
    if (problem.secrets.length === 0) throw new AppError('UpstreamError', problem.message);
    // Lists are often requested in the background, where a link would not be opened.
    const page = asks ? secretPage?.({ server: name, user, secrets: problem.secrets }, headers) : undefined;
    const local = user === LOCAL_USER ? ' --local' : '';
    const command = problem.secrets
      .map((secret) => `\`mcp-manager secret set ${secret}${local}\``)
      .join(' and ');
    const wayOut = page === undefined ? `Run ${command}.` : `Open ${page}, or run ${command}.`;
    const noun = problem.secrets.length === 1 ? 'secret' : 'secrets';
    return {
      server: name,
      user,
      isDone: () => server.problemOf(caller) === undefined,
      page,
      request: `Set your ${noun} ${problem.secrets.join(', ')} for ${name} to continue.`,
      error: new AppError('UpstreamError', `${problem.message} ${wayOut}`),
    };
  }
  // The connection rejects a caller without an identity.
  if (!signsInPerUser(server.spec()) || user === undefined) return undefined;
  const isDone = (): boolean => server.forUser(caller).signIn() === 'signed-in';
  if (isDone()) return undefined;
  const page = signInPage?.(name, headers);
  return {
    server: name,
    user,
    isDone,
    page,
    request: `Sign in to ${name} to continue.`,
    error: signInRequired(name, page),
  };
}

async function askPerson(
  { server, user, isDone, page, request: message, error: required }: Missing,
  { requester, signal }: ServerCall,
  { supervisor }: SignInParts,
  asks: boolean,
): Promise<void> {
  if (!asks || !requester || page === undefined) throw required;
  const done = Promise.withResolvers<void>();
  // Subscribe first, because the person can finish before the client responds.
  const forget = supervisor.subscribe((event) => {
    const isOwn = event.kind === 'user-changed' && event.server === server && event.user === user;
    if (isOwn && isDone()) done.resolve();
  });
  try {
    const params = { mode: 'url', elicitationId: randomUUID(), url: page, message };
    const request = { method: 'elicitation/create', params };
    const { action } = await requestFromClient(requester, request, abortSignalOf(signal));
    if (action !== 'accept') throw required;
    await waitFor(done.promise, { timeoutMs: PERSON_MS, signal, late: () => required });
  } catch (error) {
    const isUnsupported = error instanceof RpcError && error.code === RPC_CODE.methodNotFound;
    throw isUnsupported ? required : error;
  } finally {
    forget();
  }
}
