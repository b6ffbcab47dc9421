import type { Tally } from './tally.ts';
import type { DecodedFrame, UpstreamReader } from './upstream-reader.ts';

/** A stream that breaks after every choice has finished has lost nothing but the provider's count of tokens. */
export async function nextFrames(
  reader: UpstreamReader,
  tally: Tally,
): Promise<readonly DecodedFrame[] | undefined> {
  try {
    return await reader.next();
  } catch (error) {
    if (tally.complete()) return undefined;
    throw error;
  }
}
