import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import type { ByteBudget } from '#core/limits/byte-budget.ts';
import type { Principal } from '../access.ts';
import { holdOfResponse, type OpenHold } from './body.ts';
import type { DirectFailure } from './exchange.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from './request-head.ts';

/** The shell's state for a request. */
export interface ShellEnv {
  Variables: {
    requestId: string;
    /** The caller; undefined if the path does not require authentication, or if keys have no owners. */
    caller: Principal | undefined;
    /** Opens the account for the memory that the request uses. */
    openHold: OpenHold;
  };
}

/** Assigns an ID to every request and adds it to the response headers. */
export const requestIds = (): MiddlewareHandler<ShellEnv> => async (c, next) => {
  const id = failureOf(c)?.requestId ?? requestIdFrom(c.req.header(REQUEST_ID_HEADER));
  c.set('requestId', id);
  // Bindings are undefined if an app is called without a server.
  const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
  if (outgoing) {
    // Node adds the header to any response; modifying each Response object would cost more than the
    // rest of this middleware.
    outgoing.setHeader(REQUEST_ID_HEADER, id);
    await next();
    return;
  }
  c.header(REQUEST_ID_HEADER, id);
  await next();
  // Responses that were not created with `c` lack the header, and the headers of some of them are immutable.
  if (!c.res.headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, id);
};

/** Bindings that the server passes to the app with a request that failed on a direct route. */
export interface FailureBinding {
  readonly failure?: DirectFailure | undefined;
}

/** Bindings are undefined if an app is called without a server. */
export function failureOf(c: Context): DirectFailure | undefined {
  const bindings: FailureBinding | undefined = c.env;
  return bindings?.failure;
}

/** Middleware that opens the account of each request with a body. */
export const requestHolds =
  (bytes: ByteBudget): MiddlewareHandler<ShellEnv> =>
  async (c, next) => {
    // Bindings are undefined if an app is called without a server.
    const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
    if (outgoing)
      c.set(
        'openHold',
        holdOfResponse(bytes, outgoing, () => c.get('caller')?.name),
      );
    await next();
  };
