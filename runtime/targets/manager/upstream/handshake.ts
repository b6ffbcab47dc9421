import { RpcFailure } from './connection.ts';
import type { Era, EraOptions } from './era.ts';
import { openInitializeEra } from './initialize-era.ts';
import { UnexpectedResponse } from './remote/unexpected-response.ts';
import { openStatelessEra } from './stateless-era.ts';

/**
 * Performs the handshake. It sends `initialize` first, although the newer revision recommends `server/discover`: nearly all
 * servers support `initialize`, and some exit or do not respond after an unknown method. A server of the newer revision has to
 * return an error, but the code is not specified, so any error leads to the second attempt.
 */
export async function performHandshake(options: EraOptions): Promise<Era> {
  try {
    return await openInitializeEra(options);
  } catch (error) {
    if (!(error instanceof RpcFailure || error instanceof UnexpectedResponse)) throw error;
    try {
      return await openStatelessEra(options);
    } catch {
      throw error;
    }
  }
}
