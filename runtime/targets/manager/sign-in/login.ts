import type { ServerSpec } from '../config/spec.ts';
import { awaitRedirect, type PersonOptions } from './await-redirect.ts';
import { oauthHttpFor } from './oauth-http-for.ts';
import { signInLaunch } from './sign-in-launch.ts';
import type { SignInRecord } from './sign-in-record.ts';
import type { SignInStore } from './sign-in-store.ts';
import { earlierSignIn, notSignedIn, startSignIn } from './start-sign-in.ts';

export interface LoginOptions extends PersonOptions {
  readonly store: SignInStore;
  /** The user who signs in, if the server has one sign-in per user. */
  readonly user?: string | undefined;
}

/** Signs a user in to a remote server and stores the tokens. */
export async function login(
  { name, launch, timeouts }: ServerSpec,
  { store, user, ...person }: LoginOptions,
): Promise<SignInRecord> {
  const { remote, settings } = signInLaunch(name, launch);
  const target = { server: name, url: remote.url, user };
  const before = earlierSignIn(store, target);
  const http = await oauthHttpFor({
    url: new URL(remote.url),
    issuer: settings.issuer,
    timeoutMs: timeouts.init,
  });
  const redirect = {
    server: name,
    fixed: settings.redirectUri,
    earlier: before?.redirectUri,
    start: (redirectUri: string) => startSignIn(http, { remote, settings, redirectUri, before }),
  };
  try {
    const record = await awaitRedirect(redirect, person);
    await store.update(target, () => Promise.resolve(record));
    await store.announce();
    return record;
  } catch (error) {
    throw notSignedIn(name, error);
  } finally {
    await http.close();
  }
}
