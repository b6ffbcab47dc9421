import { AppError, inputError } from '#contract/errors.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { StartedSignIn } from './begin-sign-in.ts';
import { signInLaunch } from './sign-in-launch.ts';
import { endUserSignIns, type EndedSignIns } from './end-user-sign-ins.ts';
import type { LoggedOut } from './logout.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore, SignInTarget } from './sign-in-store.ts';
import { earlierSignIn, notSignedIn, startSignIn } from './start-sign-in.ts';

/** The server, and the user who signs in; undefined for a sign-in shared by all callers. */
interface SignInOf {
  readonly spec: ServerSpec;
  readonly user: string | undefined;
}

/**
 * Sign-ins with a browser on another machine, which is redirected to a page or a command that forwards the
 * result.
 */
export interface RemoteSignIns {
  /** Starts a sign-in; returns the URL for the browser. Cancels an earlier sign-in of the same user. */
  start(of: SignInOf, redirectUri: string): Promise<URL>;
  /** Completes the same user's sign-in with the parameters of the redirect URL. */
  complete(of: SignInOf, parameters: URLSearchParams): Promise<SignInRecord>;
  read(of: SignInOf): SignInRecord | undefined;
  end(of: SignInOf): Promise<LoggedOut>;
  /**
   * Ends all sign-ins of a user who can no longer use the manager, and cancels those that are pending, also one that is just
   * being completed.
   */
  endUser(user: string, specs: readonly ServerSpec[]): Promise<EndedSignIns>;
  close(): Promise<void>;
}

interface Pending {
  readonly target: SignInTarget;
  readonly started: StartedSignIn;
  readonly http: OAuthHttp;
  readonly timer: NodeJS.Timeout;
}

/** Time limit for the user to sign in. */
const SIGN_IN_MS = 10 * 60_000;
/** Maximum number of pending sign-ins. When it is exceeded, the oldest one is canceled. */
const MAX_PENDING = 1000;

export function createRemoteSignIns(store: SignInStore): RemoteSignIns {
  /** Pending sign-ins by their `state`. */
  const pending = new Map<string, Pending>();
  const endedUsers = new Set<string>();
  const take = (state: string): Pending | undefined => {
    const found = pending.get(state);
    clearTimeout(found?.timer);
    pending.delete(state);
    return found;
  };
  const drop = async (state: string): Promise<void> => await take(state)?.http.close();
  const endOthers = (target: SignInTarget): void => {
    const [oldest] = pending.keys();
    if (oldest !== undefined && pending.size >= MAX_PENDING) void drop(oldest);
    for (const [state, other] of pending) if (isSame(other.target, target)) void drop(state);
  };

  return {
    async start({ spec, user }, redirectUri) {
      const { remote, settings } = signInLaunch(spec.name, spec.launch);
      const target = { server: spec.name, url: remote.url, user };
      const url = new URL(remote.url);
      // Imported on demand, because the HTTP client costs memory that most managers do not need.
      const { oauthHttpFor } = await import('./oauth-http-for.ts');
      const http = await oauthHttpFor({ url, issuer: settings.issuer, timeoutMs: spec.timeouts.init });
      try {
        const before = earlierSignIn(store, target);
        const started = await startSignIn(http, { remote, settings, redirectUri, before });
        const state = started.authorizationUrl.searchParams.get('state') ?? '';
        endOthers(target);
        const timer = setTimeout(() => void drop(state), SIGN_IN_MS).unref();
        pending.set(state, { target, started, http, timer });
        return started.authorizationUrl;
      } catch (error) {
        await http.close();
        throw notSignedIn(spec.name, error);
      }
    },
    async complete({ spec, user }, parameters) {
      const { remote } = signInLaunch(spec.name, spec.launch);
      const state = parameters.get('state') ?? '';
      const target = { server: spec.name, url: remote.url, user };
      const found = pending.get(state);
      // A browser that was lured here with another person's result must not store it for this user, and must
      // not end this sign-in.
      if (!found || !isSame(found.target, target)) {
        throw inputError(
          `You have no pending sign-in to ${spec.name} that matches this URL. Start the sign-in again.`,
        );
      }
      take(state);
      try {
        const record = await found.started.finish(parameters);
        await store.update(target, () => Promise.resolve(record));
        // The user was ended while the authorization server responded.
        if (user !== undefined && endedUsers.has(user)) {
          await endUserSignIns([spec], store, user);
          throw new AppError('UnauthorizedError', 'The API key is revoked.');
        }
        return record;
      } catch (error) {
        throw notSignedIn(spec.name, error);
      } finally {
        await found.http.close();
      }
    },
    read({ spec, user }) {
      const { remote } = signInLaunch(spec.name, spec.launch);
      return earlierSignIn(store, { server: spec.name, url: remote.url, user });
    },
    async end({ spec, user }) {
      const { logout } = await import('./logout.ts');
      return await logout(spec, store, user);
    },
    async endUser(user, specs) {
      endedUsers.add(user);
      for (const [state, { target }] of pending) if (target.user === user) void drop(state);
      return await endUserSignIns(specs, store, user);
    },
    async close() {
      await Promise.all([...pending.keys()].map(drop));
    },
  };
}

const isSame = (one: SignInTarget, other: SignInTarget): boolean =>
  one.server === other.server && one.url === other.url && one.user === other.user;
