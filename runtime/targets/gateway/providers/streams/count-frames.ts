import { type Tally, textOf } from './tally.ts';
import type { DecodedFrame } from './upstream-reader.ts';

/** Adds events up to the first error to a tally. Returns their text if `wantsText` is true. */
export function countFrames(frames: readonly DecodedFrame[], tally: Tally, wantsText: boolean): string {
  let text = '';
  for (const { step } of frames) {
    if ('chunks' in step)
      for (const chunk of step.chunks ?? []) {
        tally.add(chunk);
        if (wantsText) text += textOf(chunk);
      }
    if (step.usageSoFar !== undefined) tally.report(step.usageSoFar);
    if (step.kind === 'error') break;
  }
  return text;
}
