import type { Context } from 'hono';

/** The address of a path on this server, by the name that the client called it by. */
export const absoluteUrl = (c: Context, path: string): string => new URL(path, c.req.url).href;
