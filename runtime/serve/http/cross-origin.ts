import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { REQUEST_ID_HEADER } from '../request-id.ts';

/** Permissions of web pages of other origins that are allowed. */
export interface CorsRules {
  readonly methods?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether they can send credentials such as cookies; never if all origins are allowed. */
  readonly credentials?: boolean;
  readonly maxAgeSeconds?: number;
}

const TEN_MINUTES = 600;

/** Allows pages of these origins to call the server and read responses; `*` allows all. */
export function crossOrigin(
  origins: readonly string[],
  exposedHeaders: readonly string[],
  { methods = [], headers = [], credentials = false, maxAgeSeconds = TEN_MINUTES }: CorsRules = {},
): MiddlewareHandler {
  const all = origins.includes('*');
  const respond = cors({
    origin: all ? '*' : [...origins],
    exposeHeaders: [REQUEST_ID_HEADER, 'Retry-After', ...exposedHeaders],
    maxAge: maxAgeSeconds,
    ...(methods.length > 0 ? { allowMethods: [...methods] } : {}),
    ...(headers.length > 0 ? { allowHeaders: [...headers] } : {}),
    ...(credentials && !all ? { credentials } : {}),
  });
  // An OPTIONS request of a client that is not a page, such as a client of tus, is for the route.
  return (c, next) => (c.req.method === 'OPTIONS' && !isPreflight(c) ? next() : respond(c, next));
}

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
const isPreflight = ({ req }: Context): boolean =>
  req.header('Origin') !== undefined && req.header('Access-Control-Request-Method') !== undefined;
