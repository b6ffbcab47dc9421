import type { MiddlewareHandler } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';

const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  // Responses contain text from models, users and providers. If a browser shows a response, it must not run
  // any code in it. Pages have their own rules.
  'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
} as const;

/** Responses can contain the caller's confidential data, so caches must not store them. */
const PRIVATE = {
  ...ALWAYS,
  'Cache-Control': 'private, no-store, no-cache',
  Vary: 'Authorization, X-Gateway-Key, X-Api-Key',
} as const;

/** Returns the security headers for all responses from a path. */
export const securityHeaders = (path: string): Readonly<Record<string, string>> =>
  path === '/health' || path.startsWith('/health/') ? ALWAYS : PRIVATE;

/** Sets the security headers before the route runs, so that a response can replace them. */
export const addSecurityHeaders: MiddlewareHandler<ShellEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(securityHeaders(c.req.path))) c.header(name, value);
  await next();
};
