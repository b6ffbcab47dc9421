import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';

/** What the shell knows of a request. */
export interface ShellEnv {
  Variables: { requestId: string };
}

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Short and harmless enough to be logged and sent back as it is. */
const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives every request an id, the caller's own where there is a sane one, and puts it into the answer. */
export const requestIds = (): MiddlewareHandler<ShellEnv> => async (c, next) => {
  const given = c.req.header(REQUEST_ID_HEADER);
  const id = given !== undefined && SANE.test(given) ? given : randomUUID();
  c.set('requestId', id);
  c.header(REQUEST_ID_HEADER, id);
  await next();
  // Answers that a route did not make through `c` lack it; some of those let nobody change their headers.
  if (!c.res.headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, id);
};
