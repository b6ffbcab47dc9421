import type { AnswerSummary } from './stream.ts';
import { countFrames } from './count-frames.ts';
import { nextFrames } from './next-frames.ts';
import { createTally } from './tally.ts';
import type { DecodedFrame, UpstreamReader } from './upstream-reader.ts';

/** Reads a stream without a client to its end, for its usage. If the stream breaks, the output until then counts. */
export async function drainStream(
  reader: UpstreamReader,
  held: readonly DecodedFrame[],
): Promise<AnswerSummary> {
  const tally = createTally();
  try {
    let frames: readonly DecodedFrame[] | undefined = held;
    while (frames) {
      countFrames(frames, tally, false);
      frames = frames.some(isLast) ? undefined : await nextFrames(reader, tally);
    }
    reader.finish();
  } catch {
    reader.destroy();
  }
  return tally.summary();
}

const isLast = ({ step }: DecodedFrame): boolean => step.kind === 'end' || step.kind === 'error';
