import type { Tally } from './tally.ts';
import type { DecodedFrame, UpstreamReader } from './upstream-reader.ts';

/** Reads the next frames. If the stream breaks after every choice has finished, it only lacks the usage and counts as ended. */
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
