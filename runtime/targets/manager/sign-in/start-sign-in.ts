import { AppError, messageOf } from '#contract/errors.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { OAuthHttp, OAuthResponse } from '#serve/oauth/oauth-http.ts';
import type { RemoteLaunch, SignInSettings } from '../config/spec.ts';
import { beginSignIn, type StartedSignIn } from './begin-sign-in.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore, SignInTarget } from './sign-in-store.ts';
import { SESSION_VERSIONS } from '#serve/mcp/protocol-version.ts';
import { type BearerChallenge, parseBearerChallenge } from '#serve/oauth/bearer-challenge.ts';

export interface SignInStart {
  readonly remote: RemoteLaunch;
  readonly settings: SignInSettings;
  readonly redirectUri: string;
  readonly before: SignInRecord | undefined;
}

/** Requests a server's challenge and prepares the sign-in. */
export async function startSignIn(
  http: OAuthHttp,
  { remote, settings, redirectUri, before }: SignInStart,
): Promise<StartedSignIn> {
  const { challenge, status } = await probeServer(http, remote);
  if (challenge === undefined && status < 300) {
    throw new OAuthFailure('the server does not require a sign-in');
  }
  return await beginSignIn(http, { url: new URL(remote.url), settings, challenge, redirectUri, before });
}

/** Returns the earlier sign-in. If it cannot be decrypted, a new sign-in is still possible. */
export function earlierSignIn(store: SignInStore, target: SignInTarget): SignInRecord | undefined {
  try {
    return store.read(target);
  } catch {
    return undefined;
  }
}

/** The error for a failed sign-in. */
export function notSignedIn(server: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = messageOf(error).replace(/\.$/, '');
  return new AppError('UpstreamError', `Not signed in to ${server}: ${reason}.`, { cause: error });
}

interface ProbedServer {
  readonly status: number;
  readonly challenge: BearerChallenge | undefined;
}

/**
 * Sends requests without a token to a server, to get its challenge. Some servers accept the handshake from
 * everyone, so a list is requested as well.
 */
async function probeServer(
  http: OAuthHttp,
  { url, transport, headers: configured }: RemoteLaunch,
): Promise<ProbedServer> {
  // An API is not asked, because any request could have an effect.
  if (transport === 'openapi') return { status: 401, challenge: undefined };
  if (transport === 'sse') return probed(await http.get(url));
  const headers = { ...configured, accept: 'application/json, text/event-stream' };
  const opened = await http.postJson(url, message('initialize', INITIALIZE), headers);
  const first = probed(opened);
  if (first.challenge !== undefined || first.status >= 300) return first;
  const session = opened.headers['mcp-session-id'];
  const second = await http.postJson(url, message('tools/list', {}), {
    ...headers,
    'mcp-protocol-version': INITIALIZE.protocolVersion,
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  });
  return probed(second);
}

const probed = ({ status, headers }: OAuthResponse): ProbedServer => ({
  status,
  challenge: parseBearerChallenge(headers['www-authenticate']),
});

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 0, method, params });

const INITIALIZE = {
  protocolVersion: SESSION_VERSIONS[0],
  capabilities: {},
  clientInfo: { name: 'mcp-manager', version: '0' },
};
