import { RpcFailure } from './connection.ts';
import type { Era, EraOptions } from './era.ts';
import { openInitializeEra } from './initialize-era.ts';
import { UnusableAnswer } from './remote/unusable-answer.ts';
import { openStatelessEra } from './stateless-era.ts';

/**
 * `initialize` goes first although the newer revision suggests to try `server/discover` first: nearly all servers know it, and
 * of those that do not know the newer method some stay silent or end. A server of the newer revision has to answer
 * `initialize` with an error, but which one is its own choice, so any error is reason to try.
 */
export async function shakeHands(options: EraOptions): Promise<Era> {
  try {
    return await openInitializeEra(options);
  } catch (error) {
    if (!(error instanceof RpcFailure || error instanceof UnusableAnswer)) throw error;
    try {
      return await openStatelessEra(options);
    } catch {
      throw error;
    }
  }
}
