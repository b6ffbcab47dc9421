import type { MiddlewareHandler } from 'hono';
import type { ShellEnv } from '../../../../serve/http/request-id.ts';

const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
} as const;

/** Answers hold what only the asker may see; nobody on the way is to keep them. */
const PRIVATE = {
  ...ALWAYS,
  'Cache-Control': 'private, no-store, no-cache',
  Vary: 'Authorization, X-Gateway-Key, X-Api-Key',
} as const;

/** Of every answer of that path. */
export const securityHeaders = (path: string): Readonly<Record<string, string>> =>
  path === '/health' || path.startsWith('/health/') ? ALWAYS : PRIVATE;

/** What an answer says of these itself, counts. */
export const secureAnswers: MiddlewareHandler<ShellEnv> = async (c, next) => {
  for (const [name, value] of Object.entries(securityHeaders(c.req.path))) c.header(name, value);
  await next();
};
