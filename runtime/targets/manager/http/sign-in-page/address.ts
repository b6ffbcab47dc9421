import type { SignInPage } from '../../calls/require-sign-in.ts';
import { HOST } from '../base-address.ts';

export const SIGN_IN_PATH = '/sign-in';
/** The path to which the browser returns. */
export const SIGNED_IN_PATH = '/signed-in';

export interface SignInPageOptions {
  /** The URL of the manager in the configuration. */
  readonly publicUrl: string | undefined;
  /** Whether the manager itself uses TLS. */
  readonly isTls: boolean;
  readonly trustProxy: boolean;
}

/** Creates the function that returns the page's address for the client of a call: below the address that the client used. */
export function createSignInPage({ publicUrl, isTls, trustProxy }: SignInPageOptions): SignInPage {
  return (server, headers) => {
    const header = (name: string): string | undefined => headers?.get(name)?.split(',')[0]?.trim();
    const forwarded = (name: string): string | undefined => (trustProxy ? header(name) : undefined);
    const host = forwarded('x-forwarded-host') ?? header('host');
    const scheme = forwarded('x-forwarded-proto') ?? (isTls ? 'https' : 'http');
    const own = host !== undefined && HOST.test(host) ? `${scheme}://${host}` : undefined;
    const base = publicUrl ?? own;
    return base && `${base}${SIGN_IN_PATH}?server=${encodeURIComponent(server)}`;
  };
}
