import { AppError, messageOf } from '../../../contract/errors.ts';
import type { ServerSpec } from '../config/spec.ts';
import { listenForCallback } from '../sign-in/callback-server.ts';
import { login, signInLaunch } from '../sign-in/login.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';

/** The path to which browsers return from an authorization server. */
export const CALLBACK_PATH = '/sign-in/callback';

/** The sign-ins that were started over HTTP and wait for a person. */
export interface PendingSignIns {
  /** Starts a sign-in; resolves with the URL that the person has to open. `origin` is the URL of the manager in their browser. */
  readonly begin: (spec: ServerSpec, origin: string) => Promise<URL>;
  /** Completes the sign-in that a redirect belongs to; resolves with a text for the person. */
  readonly finish: (parameters: URLSearchParams) => Promise<string>;
  /** Why the latest sign-in to a server failed; undefined if it did not. */
  readonly problem: (server: string) => string | undefined;
}

interface Pending {
  readonly server: string;
  readonly onRedirect: (parameters: URLSearchParams) => Promise<string>;
}

const TIMEOUT_MS = 300_000;
/** Each pending sign-in keeps a client for the authorization server. */
const MAX_PENDING = 32;

/**
 * The redirect goes to the manager itself, because the browser can run on another machine than the manager. A configured
 * `redirect_uri` is on this machine and gets a server of its own, as with `mcp-manager login`.
 */
export function createPendingSignIns(store: SignInStore): PendingSignIns {
  /** By `state`, which only the browser of the person and the authorization server know. */
  const pending = new Map<string, Pending>();
  const problems = new Map<string, string>();

  return {
    problem: (server) => problems.get(server),
    async begin(spec, origin) {
      const { settings } = signInLaunch(spec.name, spec.launch);
      if (pending.size >= MAX_PENDING) {
        throw new AppError(
          'OverloadedError',
          `${MAX_PENDING} sign-ins wait for a person. Retry in some minutes.`,
        );
      }
      const url = Promise.withResolvers<URL>();
      let state = '';
      let onRedirect: Pending['onRedirect'] = () => Promise.reject(new Error('The sign-in has not started.'));
      const done = login(spec, {
        store,
        show(authorizationUrl) {
          state = authorizationUrl.searchParams.get('state') ?? '';
          pending.set(state, { server: spec.name, onRedirect });
          url.resolve(authorizationUrl);
        },
        onProblem: () => undefined,
        timeoutMs: TIMEOUT_MS,
        listen(options) {
          if (settings.redirectUri !== undefined) return listenForCallback(options);
          ({ onRedirect } = options);
          const redirectUri = new URL(CALLBACK_PATH, origin).href;
          return Promise.resolve({ redirectUri, close: () => Promise.resolve() });
        },
      });
      problems.delete(spec.name);
      done.then(
        () => pending.delete(state),
        (error: unknown) => {
          pending.delete(state);
          problems.set(spec.name, messageOf(error));
          url.reject(error);
        },
      );
      return await url.promise;
    },
    async finish(parameters) {
      const found = pending.get(parameters.get('state') ?? '');
      if (found) return await found.onRedirect(parameters);
      throw new AppError('InputError', 'No sign-in waits for this redirect. Start it again.');
    },
  };
}
