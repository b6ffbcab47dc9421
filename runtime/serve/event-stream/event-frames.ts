import { AppError } from '../../contract/errors.ts';

/** Cuts a stream of bytes into server-sent events without looking into them, so that they can be forwarded as they came. */
export interface FrameSplitter {
  /** The events that are complete now, with the empty line that ends each. They lie behind each other in one buffer. */
  push(chunk: Buffer): Buffer[];
  /** What is left at the end of the stream: an event whose empty line never came. */
  end(): Buffer | undefined;
}

/** Nobody sends events of this size; whoever does would fill the memory. */
export const MAX_EVENT_BYTES = 8 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const EMPTY_LINE = Buffer.from('\n\n');

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export function createFrameSplitter(
  maxEventBytes: number = MAX_EVENT_BYTES,
  tooLong: (most: number) => Error = eventTooLong,
): FrameSplitter {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const keep = (rest: Buffer): void => {
    if (rest.length === 0) return;
    waiting.push(rest);
    waitingBytes += rest.length;
    if (waitingBytes > maxEventBytes) throw tooLong(maxEventBytes);
  };
  return {
    push(chunk) {
      // A long event is put together only once.
      const last = waiting.at(-1);
      if (last && !mayEnd(last, chunk)) {
        keep(chunk);
        return [];
      }
      const bytes =
        waiting.length === 0 ? chunk : Buffer.concat([...waiting, chunk], waitingBytes + chunk.length);
      waiting = [];
      waitingBytes = 0;
      const frames: Buffer[] = [];
      const endOf = bytes.includes(CR) ? endOfAnyFrame : endOfFrame;
      let start = 0;
      for (let end = endOf(bytes, start); end !== -1; end = endOf(bytes, start)) {
        if (end - start > maxEventBytes) throw tooLong(maxEventBytes);
        frames.push(bytes.subarray(start, end));
        start = end;
      }
      keep(bytes.subarray(start));
      return frames;
    },
    end() {
      const rest = Buffer.concat(waiting);
      waiting = [];
      waitingBytes = 0;
      return rest.length === 0 ? undefined : rest;
    },
  };
}

/** Whether there may be an empty line in the chunk, or between it and what came before. */
const mayEnd = (last: Buffer, chunk: Buffer): boolean =>
  chunk.includes(EMPTY_LINE) ||
  chunk.includes(CR) ||
  last.at(-1) === CR ||
  (last.at(-1) === LF && chunk[0] === LF);

function endOfFrame(bytes: Buffer, start: number): number {
  // An empty line that follows an event belongs to no other.
  if (bytes[start] === LF) return start + 1;
  const at = bytes.indexOf(EMPTY_LINE, start);
  return at === -1 ? -1 : at + 2;
}

/** Lines may also end with CR, or CR LF, even mixed. */
function endOfAnyFrame(bytes: Buffer, start: number): number {
  let lineStart = start;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    // Whether LF belongs to it shows only with the next byte.
    if (byte === CR && at + 1 === bytes.length) return -1;
    const isEmpty = at === lineStart;
    if (byte === CR && bytes[at + 1] === LF) at += 1;
    if (isEmpty) return at + 1;
    lineStart = at + 1;
  }
  return -1;
}

const eventTooLong = (most: number): AppError =>
  new AppError('UpstreamError', `An event of the stream is larger than the maximum of ${most} bytes.`);
