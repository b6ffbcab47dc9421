import { messageOf } from '#contract/errors.ts';
import { type ServerSpec, signsInPerUser } from '../config/spec.ts';
import type { LoggedOut } from './logout.ts';
import type { SignInStore } from './sign-in-store.ts';

/** The sign-ins of a user that were ended. */
export interface EndedSignIns {
  readonly count: number;
  /** Why authorization servers did not revoke tokens, with the names of the servers. */
  readonly notRevoked: readonly string[];
}

/**
 * Ends all sign-ins of a user who can no longer use the manager: revokes the tokens at the authorization servers, and deletes
 * them, also those of servers that are no longer configured and those that cannot be decrypted.
 */
export async function endUserSignIns(
  specs: readonly ServerSpec[],
  store: SignInStore,
  user: string,
): Promise<EndedSignIns> {
  const outcomes = await Promise.all(
    specs.filter(signsInPerUser).map(async (spec) => [spec.name, await end(spec, store, user)] as const),
  );
  const ended = outcomes.filter(([, { wasSignedIn }]) => wasSignedIn).length;
  return {
    count: ended + store.removeAll(user),
    notRevoked: outcomes.flatMap(([name, { notRevoked }]) =>
      notRevoked === undefined ? [] : [`${name}: ${notRevoked}`],
    ),
  };
}

async function end(spec: ServerSpec, store: SignInStore, user: string): Promise<LoggedOut> {
  try {
    const { launch } = spec;
    if (launch.kind !== 'remote' || store.read({ server: spec.name, url: launch.url, user }) === undefined)
      return { wasSignedIn: false, notRevoked: undefined };
    const { logout } = await import('./logout.ts');
    return await logout(spec, store, user);
  } catch (error) {
    return { wasSignedIn: false, notRevoked: messageOf(error) };
  }
}
