import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { AppError } from '#contract/errors.ts';
import { RAW_HEADERS } from '../accounts/identity/credentials.ts';
import type { HeaderReader } from '../accounts/identity/identity.ts';

/** Reads a request's credential from its headers or from the cookie set at sign-in. */
export type CredentialReader = (c: Context) => HeaderReader;

const HEADERS = ['X-Gateway-Key', 'Authorization', ...RAW_HEADERS];
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** If sign-in is not configured, cookies are ignored. */
export function createCredentialReader(publicUrl: string | undefined): CredentialReader {
  if (publicUrl === undefined) return (c) => c.req.raw.headers;
  const { session } = createCookies(publicUrl);
  return (c) => {
    const { headers } = c.req.raw;
    if (HEADERS.some((name) => headers.get(name))) return headers;
    const token = session.read(c);
    if (token === undefined || token === '') return headers;
    if (!SAFE_METHODS.has(c.req.method)) requireOwnPage(c, publicUrl);
    return { get: (name) => (name === 'authorization' ? `Bearer ${token}` : headers.get(name)) };
  };
}

/**
 * Throws a ForbiddenError for a change that may have been sent by a page from another site: browsers also
 * add cookies to such requests, but headers state where the request comes from.
 */
export function requireOwnPage(c: Context, publicUrl: string): void {
  const site = c.req.header('Sec-Fetch-Site');
  const isOwn = site === undefined ? c.req.header('Origin') === publicUrl : site === 'same-origin';
  if (isOwn) return;
  throw new AppError(
    'ForbiddenError',
    'A request with a sign-in cookie must come from a gateway page. Use an API key in a header instead.',
    { reason: 'foreign_page' },
  );
}

/** Sign-in cookies. With HTTPS, they have the prefix `__Host-`, so that no other host can set them. */
interface SignInCookies {
  readonly session: CookieAccess;
  /** The cookie for the state of a sign-in, which is kept until the identity provider has responded. */
  readonly started: CookieAccess;
  /** The cookie for the command that is waiting for the user's consent. */
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
