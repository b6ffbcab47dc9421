import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Principal } from '../access.ts';
import { failureOf } from './direct-failure.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from '../request-id.ts';

/** What the shell knows of a request. */
export interface ShellEnv {
  Variables: {
    requestId: string;
    /** Not there on paths that need no key, nor where one key is as good as another. */
    caller: Principal | undefined;
  };
}

/** Gives every request an id and puts it into the answer. */
export const requestIds = (): MiddlewareHandler<ShellEnv> => async (c, next) => {
  const id = failureOf(c)?.requestId ?? requestIdFrom(c.req.header(REQUEST_ID_HEADER));
  c.set('requestId', id);
  // There is none where an app is asked without a server.
  const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
  if (outgoing) {
    // Node adds it to whatever answer a route makes; to look into each for it would cost more than the rest of this.
    outgoing.setHeader(REQUEST_ID_HEADER, id);
    await next();
    return;
  }
  c.header(REQUEST_ID_HEADER, id);
  await next();
  // Answers that a route did not make through `c` lack it; some of those let nobody change their headers.
  if (!c.res.headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, id);
};
