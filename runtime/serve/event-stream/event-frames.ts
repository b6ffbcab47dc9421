import { AppError } from '#contract/errors.ts';

/** Splits a byte stream into server-sent events without parsing them, so that they can be forwarded unchanged. */
export interface FrameSplitter {
  /**
   * Adds a chunk and returns the events that are now complete. Each event includes its final empty
   * line. All returned events share one buffer.
   */
  push(chunk: Buffer): Buffer[];
  /** Returns the rest of the stream: an event that lacks its final empty line. */
  end(): Buffer | undefined;
}

/** Maximum size of an event, so that a single event cannot exhaust the memory. */
export const MAX_EVENT_BYTES = 8 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const EMPTY_LINE = Buffer.from('\n\n');

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export function createFrameSplitter(
  maxEventBytes: number = MAX_EVENT_BYTES,
  tooLong: (maxBytes: number) => Error = eventTooLong,
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
      // The chunks of a long event are only concatenated once.
      const last = waiting.at(-1);
      if (last && !canEndEvent(last, chunk)) {
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

/** Whether the chunk, or its boundary with the previous one, can contain an empty line. */
const canEndEvent = (last: Buffer, chunk: Buffer): boolean =>
  chunk.includes(EMPTY_LINE) ||
  chunk.includes(CR) ||
  last.at(-1) === CR ||
  (last.at(-1) === LF && chunk[0] === LF);

function endOfFrame(bytes: Buffer, start: number): number {
  // An empty line directly after an event does not belong to the next event.
  if (bytes[start] === LF) return start + 1;
  const at = bytes.indexOf(EMPTY_LINE, start);
  return at === -1 ? -1 : at + 2;
}

/** Lines can also end with CR or CR LF, and a stream can mix these line endings. */
function endOfAnyFrame(bytes: Buffer, start: number): number {
  let lineStart = start;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== LF && byte !== CR) continue;
    // Whether an LF follows is only known after the next byte.
    if (byte === CR && at + 1 === bytes.length) return -1;
    const isEmpty = at === lineStart;
    if (byte === CR && bytes[at + 1] === LF) at += 1;
    if (isEmpty) return at + 1;
    lineStart = at + 1;
  }
  return -1;
}

const eventTooLong = (maxBytes: number): AppError =>
  new AppError('UpstreamError', `An event of the stream is larger than the maximum of ${maxBytes} bytes.`);

/** The fields of a server-sent event. */
export interface EventData {
  /** Event type; undefined means `message`. */
  readonly event: string | undefined;
  /** Data of the event; undefined for comments and other events without data. */
  readonly data: string | undefined;
  /** Event ID, with which a client can resume the stream after this event. */
  readonly id: string | undefined;
  /** Time that a client should wait before reconnecting. */
  readonly retryMs: number | undefined;
}

const NEWLINE = /\r\n|\r|\n/;
const ONE_DATA_LINE = 'data: ';

/** Parses one event returned by `createFrameSplitter`. */
export function readEvent(frame: Buffer): EventData {
  const text = frame.toString('utf8');
  // Nearly all events consist of a single line with data.
  if (text.startsWith(ONE_DATA_LINE)) {
    const end = text.length - 2;
    if (text.charCodeAt(end) === LF && text.indexOf('\n') === end && !text.includes('\r')) {
      const data = text.slice(ONE_DATA_LINE.length, end);
      return { event: undefined, data, id: undefined, retryMs: undefined };
    }
  }
  return readLines(text.startsWith('\uFEFF') ? text.slice(1) : text);
}

function readLines(text: string): EventData {
  let event: string | undefined;
  let data: string | undefined;
  let id: string | undefined;
  let retryMs: number | undefined;
  for (const line of text.split(NEWLINE)) {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (name === 'event') event = value === '' ? undefined : value;
    else if (name === 'id') id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
  return { event, data, id, retryMs };
}
