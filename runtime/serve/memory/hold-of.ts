import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { type ByteBudget, type ByteHold, UNLIMITED_HOLD } from '../../core/limits/byte-budget.ts';
import type { ShellEnv } from '../http/request-id.ts';

/** Opens the account of a request when its first bytes are read: most requests have no body. */
export type OpenHold = () => ByteHold;

/** The account ends with the response. */
export function holdOfResponse(
  bytes: ByteBudget,
  response: Pick<ServerResponse, 'once' | 'closed'>,
  caller: () => string | undefined,
): OpenHold {
  let hold: ByteHold | undefined;
  return () => {
    if (hold) return hold;
    const opened = bytes.open(caller());
    if (response.closed) opened.release();
    else response.once('close', opened.release);
    hold = opened;
    return opened;
  };
}

/** The account of a request in an app. An app that is called without a server has none. */
export const holdOf = (c: Context): ByteHold =>
  (c.get('openHold') as OpenHold | undefined)?.() ?? UNLIMITED_HOLD;

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
