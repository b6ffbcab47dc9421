import { createOwnAddress, type OwnAddressOptions } from '#serve/http/own-address.ts';
import type { CallHeaders } from '../../calls/call.ts';
import type { SecretPageOf, SignInPage } from '../../calls/require-user.ts';

export const SIGN_IN_PATH = '/sign-in';
/** The path of the redirect URI. */
export const SIGNED_IN_PATH = '/signed-in';

export interface SignInPageOptions extends OwnAddressOptions {
  /** Whether the manager itself uses TLS. */
  readonly isTls: boolean;
}

/** The path of the page where users set secrets. */
export const SECRETS_PATH = '/secrets';

/** The pages for users, without the manager's other pages. */
interface UserPages {
  readonly signInPage: SignInPage;
  readonly secretPage: SecretPageOf;
}

/**
 * Creates the functions that return the URLs of the pages for the client of a call. They return undefined if only
 * the call itself names the host.
 */
export function createUserPages({ isTls, ...options }: SignInPageOptions): UserPages {
  const ownAddress = createOwnAddress(options);
  const scheme = isTls ? 'https' : 'http';
  const baseFor = (headers: CallHeaders | undefined): string | undefined =>
    ownAddress({ scheme, headers: { get: (name) => headers?.get(name) ?? null } });
  return {
    signInPage(server, headers) {
      const base = baseFor(headers);
      return base && `${base}${SIGN_IN_PATH}?server=${encodeURIComponent(server)}`;
    },
    secretPage: (links) => (link, headers) => {
      const base = baseFor(headers);
      return base && `${base}${SECRETS_PATH}?link=${links.create(link)}`;
    },
  };
}
