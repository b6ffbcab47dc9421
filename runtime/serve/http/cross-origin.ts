import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { REQUEST_ID_HEADER } from '../request-id.ts';

/** What web pages of other origins may do, where they may call at all. */
export interface CorsRules {
  readonly methods?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether they may send cookies and the like; never if all origins may call. */
  readonly credentials?: boolean;
  readonly maxAgeSeconds?: number;
}

const TEN_MINUTES = 600;

/** Lets pages of these origins call and read the answers; `*` is every page. */
export function crossOrigin(
  origins: readonly string[],
  exposedHeaders: readonly string[],
  { methods = [], headers = [], credentials = false, maxAgeSeconds = TEN_MINUTES }: CorsRules = {},
): MiddlewareHandler {
  const all = origins.includes('*');
  return cors({
    origin: all ? '*' : [...origins],
    exposeHeaders: [REQUEST_ID_HEADER, 'Retry-After', ...exposedHeaders],
    maxAge: maxAgeSeconds,
    ...(methods.length > 0 ? { allowMethods: [...methods] } : {}),
    ...(headers.length > 0 ? { allowHeaders: [...headers] } : {}),
    ...(credentials && !all ? { credentials } : {}),
  });
}
