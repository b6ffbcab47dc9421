import { createOwnAddress, type OwnAddressOptions } from '#serve/http/own-address.ts';
import type { SignInPage } from '../../calls/require-sign-in.ts';

export const SIGN_IN_PATH = '/sign-in';
/** The path of the redirect URI. */
export const SIGNED_IN_PATH = '/signed-in';

export interface SignInPageOptions extends OwnAddressOptions {
  /** Whether the manager itself uses TLS. */
  readonly isTls: boolean;
}

/**
 * Creates the function that returns the page's URL for the client of a call; undefined if only the call
 * itself names the host.
 */
export function createSignInPage({ isTls, ...options }: SignInPageOptions): SignInPage {
  const ownAddress = createOwnAddress(options);
  const scheme = isTls ? 'https' : 'http';
  return (server, headers) => {
    const base = ownAddress({ scheme, headers: { get: (name) => headers?.get(name) ?? null } });
    return base && `${base}${SIGN_IN_PATH}?server=${encodeURIComponent(server)}`;
  };
}
