import { AppError, messageOf } from '#contract/errors.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import type { RemoteLaunch, SignInSettings } from '../config/spec.ts';
import { beginSignIn, type StartedSignIn } from './begin-sign-in.ts';
import { probeServer } from './probe-server.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore, SignInTarget } from './sign-in-store.ts';

export interface SignInStart {
  readonly remote: RemoteLaunch;
  readonly settings: SignInSettings;
  readonly redirectUri: string;
  readonly before: SignInRecord | undefined;
}

/** Requests the challenge of a server and prepares the sign-in. */
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

/** Returns the earlier sign-in. One that cannot be decrypted does not prevent a new one. */
export function earlierSignIn(store: SignInStore, target: SignInTarget): SignInRecord | undefined {
  try {
    return store.read(target);
  } catch {
    return undefined;
  }
}

/** The error of a sign-in that failed. */
export function notSignedIn(server: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const reason = messageOf(error).replace(/\.$/, '');
  return new AppError('UpstreamError', `Not signed in to ${server}: ${reason}.`, { cause: error });
}
