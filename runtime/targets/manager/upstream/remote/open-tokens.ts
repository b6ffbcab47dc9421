import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import type { SignInStore } from '../../sign-in/sign-in-store.ts';
import type { AccessTokens } from './access-tokens.ts';
import { createClientTokens } from './client-tokens.ts';
import { createPersonTokens } from './person-tokens.ts';

/** The sign-ins of persons, and the name of the server that a connection is for. */
export interface SignIns {
  readonly store: SignInStore;
  readonly server: string;
  /** The user of the connection, if the server has a sign-in for each user. */
  readonly user?: string | undefined;
}

/** Returns the source of tokens for a server; undefined if its headers already authorize the manager. */
export function openTokens(
  { url, headers, oauth }: RemoteLaunch,
  { init: timeoutMs }: ServerTimeouts,
  signIns: SignIns | undefined,
): AccessTokens | undefined {
  if (oauth?.grant === 'client_credentials') {
    const hide = signIns && ((token: string): void => signIns.store.hide(token, signIns.server));
    return createClientTokens(url, oauth, { timeoutMs, hide });
  }
  const isAuthorized = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  if (!signIns || (isAuthorized && !oauth)) return undefined;
  const { store, ...target } = signIns;
  const { issuer, privateKey } = oauth ?? {};
  return createPersonTokens({ store, target: { ...target, url }, issuer, privateKey, timeoutMs });
}
