import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler, Context } from 'hono';
import type { Principal } from '../access.ts';
import { type OpenHold, holdOfResponse } from '../request-memory.ts';
import { randomUUID } from 'node:crypto';
import type { Span } from '../telemetry/tracer.ts';
import type { ByteBudget } from '#core/limits/byte-budget.ts';

/** Request state of the shell. */
export interface ShellEnv {
  Variables: {
    requestId: string;
    /** The caller; undefined on paths without authentication, and if keys have no owners. */
    caller: Principal | undefined;
    /** Opens the account of the bytes that are held for the request. */
    openHold: OpenHold;
  };
}

/** Assigns an id to every request and adds it to the response headers. */
export const requestIds = (): MiddlewareHandler<ShellEnv> => async (c, next) => {
  const id = failureOf(c)?.requestId ?? requestIdFrom(c.req.header(REQUEST_ID_HEADER));
  c.set('requestId', id);
  // Bindings are undefined if an app is called without a server.
  const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
  if (outgoing) {
    // Node adds the header to any response; modifying each Response object would cost more than the rest of this middleware.
    outgoing.setHeader(REQUEST_ID_HEADER, id);
    await next();
    return;
  }
  c.header(REQUEST_ID_HEADER, id);
  await next();
  // Responses that were not created through `c` lack the header, and some have immutable headers.
  if (!c.res.headers.has(REQUEST_ID_HEADER)) c.header(REQUEST_ID_HEADER, id);
};

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Ids that are short and safe to log and to return. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's request id if it is safe, otherwise a new one. */
export const requestIdFrom = (given: unknown): string =>
  typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID();

/** The error of a request that was answered directly; the app turns it into a response. */
export interface DirectFailure {
  readonly error: unknown;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  readonly startedAt: number;
  /** Span of the request, which the app ends; undefined if the request is not traced. */
  readonly span: Span | undefined;
}

/** Bindings that the server passes to the app with such a request. */
export interface FailureBinding {
  readonly failure?: DirectFailure | undefined;
}

/** Bindings are undefined if an app is called without a server. */
export function failureOf(c: Context): DirectFailure | undefined {
  const bindings: FailureBinding | undefined = c.env;
  return bindings?.failure;
}

/** Middleware that opens the account of each request that has a body. */
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
