import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** The cookies of a sign-in. With HTTPS, they have the prefix `__Host-`, so that no other host can set them. */
export interface SignInCookies {
  readonly session: CookieAccess;
  /** The state of a sign-in until the provider has answered. */
  readonly started: CookieAccess;
  /** The command that waits until the user agrees. */
  readonly asked: CookieAccess;
}

interface CookieAccess {
  readonly read: (c: Context) => string | undefined;
  readonly write: (c: Context, value: string, maxAgeSeconds: number) => void;
  readonly remove: (c: Context) => void;
}

export function createCookies(publicUrl: string): SignInCookies {
  const secure = publicUrl.startsWith('https:');
  const access = (plainName: string): CookieAccess => {
    const name = secure ? `__Host-${plainName}` : plainName;
    const attributes = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
    return {
      read: (c) => getCookie(c, name),
      write: (c, value, maxAge) => setCookie(c, name, value, { ...attributes, maxAge }),
      remove: (c) => void deleteCookie(c, name, { path: '/', secure }),
    };
  };
  return {
    session: access('gateway_session'),
    started: access('gateway_sign_in'),
    asked: access('gateway_consent'),
  };
}
