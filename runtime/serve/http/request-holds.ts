import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { ByteBudget } from '#core/limits/byte-budget.ts';
import { holdOfResponse } from '../memory/hold-of.ts';
import type { ShellEnv } from './request-id.ts';

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
