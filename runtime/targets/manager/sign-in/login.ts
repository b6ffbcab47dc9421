import { createInterface } from 'node:readline';
import { AppError, configError, messageOf } from '../../../contract/errors.ts';
import { waitFor } from '../../../platform/wait-for.ts';
import { OAuthFailure } from '../../../serve/oauth/oauth-failure.ts';
import type { RemoteLaunch, ServerSpec, SignInSettings } from '../config/spec.ts';
import { UNKNOWN_STATE } from './authorization-response.ts';
import { beginSignIn, type StartedSignIn } from './begin-sign-in.ts';
import { type CallbackOptions, type CallbackServer, listenForCallback } from './callback-server.ts';
import { oauthHttpFor } from './oauth-http-for.ts';
import { probeServer } from './probe-server.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface LoginOptions {
  readonly store: SignInStore;
  /** Shows the URL to the person, and opens it if there is a browser. */
  readonly show: (authorizationUrl: URL) => void;
  /** The lines that the person pastes: URLs to which a browser elsewhere returned. */
  readonly pasted?: NodeJS.ReadableStream | undefined;
  /** Receives a problem with a pasted line, which the person can correct. */
  readonly onProblem: (message: string) => void;
  /** Receives the redirect of the browser; by default a server on this machine, which only this sign-in uses. */
  readonly listen?: ((options: CallbackOptions) => Promise<CallbackServer>) | undefined;
  readonly timeoutMs: number;
}

/** Signs a person in to a remote server and stores the tokens. */
export async function login(
  { name, launch, timeouts }: ServerSpec,
  options: LoginOptions,
): Promise<SignInRecord> {
  const { remote, settings } = signInLaunch(name, launch);
  const { store, listen = listenForCallback } = options;
  const url = new URL(remote.url);
  const target = { server: name, url: remote.url };
  const before = readable(store, target);
  const http = await oauthHttpFor({ url, issuer: settings.issuer, timeoutMs: timeouts.init });
  const done = Promise.withResolvers<SignInRecord>();
  done.promise.catch(() => undefined);
  let started: StartedSignIn | undefined;
  let isUsed = false;

  const onRedirect = async (parameters: URLSearchParams): Promise<string> => {
    if (!started || isUsed) throw new OAuthFailure('No sign-in is waiting.');
    const finishing = started.finish(parameters);
    try {
      done.resolve(await finishing);
      isUsed = true;
      return `Signed in to ${name}. You can close this page.`;
    } catch (error) {
      // Another page can request this address, too; that must not end the sign-in.
      if (!(error instanceof OAuthFailure && error.code === UNKNOWN_STATE)) done.reject(error);
      throw error;
    }
  };
  const callback = await listen({
    fixed: settings.redirectUri,
    earlier: before?.redirectUri,
    onRedirect,
  });
  const stopReading = readPasted(options, onRedirect);
  try {
    const { challenge, status } = await probeServer(http, remote);
    if (challenge === undefined && status < 300) {
      throw new OAuthFailure('the server does not require a sign-in');
    }
    const { redirectUri } = callback;
    started = await beginSignIn(http, { url, settings, challenge, redirectUri, before });
    options.show(started.authorizationUrl);
    const late = (): OAuthFailure => new OAuthFailure('the sign-in was not completed in time');
    const record = await waitFor(done.promise, { timeoutMs: options.timeoutMs, late });
    await store.update(target, () => Promise.resolve(record));
    await store.announce();
    return record;
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = messageOf(error).replace(/\.$/, '');
    throw new AppError('UpstreamError', `Not signed in to ${name}: ${reason}.`, { cause: error });
  } finally {
    stopReading();
    await Promise.all([callback.close(), http.close()]);
  }
}

/** Returns the remote server of a specification with its settings for a person. Throws a ConfigError for other servers. */
export function signInLaunch(
  name: string,
  launch: ServerSpec['launch'],
): { readonly remote: RemoteLaunch; readonly settings: SignInSettings } {
  if (launch.kind === 'unusable') throw configError(`Server ${name}: ${launch.problem}`);
  if (launch.kind !== 'remote') {
    throw configError(`Server ${name} is a program on this machine. Only servers with a url have a sign-in.`);
  }
  const settings = launch.oauth ?? { grant: 'authorization_code' };
  if (settings.grant === 'authorization_code') return { remote: launch, settings };
  throw configError(
    `Server ${name} signs in with client credentials, without a person. Set oauth.grant = "authorization_code" to sign in.`,
  );
}

/** A sign-in that cannot be decrypted does not prevent a new one. */
function readable(store: SignInStore, target: { server: string; url: string }): SignInRecord | undefined {
  try {
    return store.read(target);
  } catch {
    return undefined;
  }
}

function readPasted(
  { pasted, onProblem }: LoginOptions,
  onRedirect: (parameters: URLSearchParams) => Promise<string>,
): () => void {
  if (!pasted) return () => undefined;
  const lines = createInterface({ input: pasted });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    const url = URL.parse(line.trim());
    if (!url) onProblem('The text must be a URL. Paste the whole address to which the browser returned.');
    else void onRedirect(url.searchParams).catch((error: unknown) => onProblem(messageOf(error)));
  });
  return () => lines.close();
}
