import { isUtf8 } from 'node:buffer';

const LINE_FEED = 0x0a;

/** Number of the first line, from 1, that is not valid UTF-8; undefined if all lines are. */
export function firstInvalidLine(bytes: Uint8Array): number | undefined {
  for (let start = 0, line = 1; !isUtf8(bytes.subarray(start)); line += 1) {
    const end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end;
  }
  return undefined;
}
