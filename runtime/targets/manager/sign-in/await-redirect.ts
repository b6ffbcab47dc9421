import { createInterface } from 'node:readline';
import { messageOf } from '#contract/errors.ts';
import { waitFor } from '#platform/wait-for.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import { UNKNOWN_STATE } from './authorization-response.ts';
import { listenForCallback } from './callback-server.ts';

/** How a command works with the person who signs in. */
export interface PersonOptions {
  /** Shows the URL to the person, and opens it if there is a browser. */
  readonly show: (authorizationUrl: URL) => void;
  /** The lines that the person pastes: URLs to which a browser elsewhere returned. */
  readonly pasted?: NodeJS.ReadableStream | undefined;
  /** Receives a problem with a pasted line, which the person can correct. */
  readonly onProblem: (message: string) => void;
  readonly timeoutMs: number;
}

/** A sign-in that waits for the browser. */
interface WaitingSignIn<Result> {
  readonly authorizationUrl: URL;
  finish(parameters: URLSearchParams): Promise<Result>;
}

export interface RedirectOptions<Result> {
  /** The server to which the person signs in. */
  readonly server: string;
  /** The configured URL to which the browser returns. */
  readonly fixed: string | undefined;
  /** The URL of an earlier sign-in. */
  readonly earlier?: string | undefined;
  readonly start: (redirectUri: string) => Promise<WaitingSignIn<Result>>;
}

/** Starts a sign-in and resolves with its result when the browser has returned to this machine. */
export async function awaitRedirect<Result>(
  { server, fixed, earlier, start }: RedirectOptions<Result>,
  { show, pasted, onProblem, timeoutMs }: PersonOptions,
): Promise<Result> {
  const done = Promise.withResolvers<Result>();
  done.promise.catch(() => undefined);
  let started: WaitingSignIn<Result> | undefined;
  let isUsed = false;
  const onRedirect = async (parameters: URLSearchParams): Promise<string> => {
    if (!started || isUsed) throw new OAuthFailure('No sign-in is waiting.');
    const finishing = started.finish(parameters);
    try {
      done.resolve(await finishing);
      isUsed = true;
      return `Signed in to ${server}. You can close this page.`;
    } catch (error) {
      // Another page can request this address, too; that must not end the sign-in.
      if (!(error instanceof OAuthFailure && error.code === UNKNOWN_STATE)) done.reject(error);
      throw error;
    }
  };
  const callback = await listenForCallback({ fixed, earlier, onRedirect });
  const stopReading = readPasted(pasted, onProblem, onRedirect);
  try {
    started = await start(callback.redirectUri);
    show(started.authorizationUrl);
    const late = (): OAuthFailure => new OAuthFailure('the sign-in was not completed in time');
    return await waitFor(done.promise, { timeoutMs, late });
  } finally {
    stopReading();
    await callback.close();
  }
}

function readPasted(
  pasted: NodeJS.ReadableStream | undefined,
  onProblem: (message: string) => void,
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
