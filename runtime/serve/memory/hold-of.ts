import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { type ByteBudget, type ByteHold, UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';

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
