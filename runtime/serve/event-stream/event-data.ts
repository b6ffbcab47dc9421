/** The fields of a server-sent event. */
export interface EventData {
  /** Event type; undefined means `message`. */
  readonly event: string | undefined;
  /** Data; undefined for comments and other events without data. */
  readonly data: string | undefined;
  /** Event id, from which a client can resume the stream. */
  readonly id: string | undefined;
  /** How long a client should wait before it reconnects. */
  readonly retryMs: number | undefined;
}

const NEWLINE = /\r\n|\r|\n/;
const LF = 10;
const ONE_DATA_LINE = 'data: ';

/** Parses one event, as `createFrameSplitter` returns it. */
export function readEvent(frame: Buffer): EventData {
  const text = frame.toString('utf8');
  // Nearly all events consist of one data line.
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
