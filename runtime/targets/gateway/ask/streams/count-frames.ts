import { type Tally, textOf } from './tally.ts';
import type { DecodedFrame } from './upstream-reader.ts';

/** Counts events up to an error; returns their text if `wantsText`. */
export function countFrames(frames: readonly DecodedFrame[], tally: Tally, wantsText: boolean): string {
  let text = '';
  for (const { step } of frames) {
    if (step.kind === 'error') break;
    if (!('chunks' in step)) continue;
    for (const chunk of step.chunks ?? []) {
      tally.add(chunk);
      if (wantsText) text += textOf(chunk);
    }
  }
  return text;
}
