import type { Context } from 'hono';

/** Returns the URL of a path on this server, with the host name that the client used. */
export const absoluteUrl = (c: Context, path: string): string => new URL(path, c.req.url).href;
