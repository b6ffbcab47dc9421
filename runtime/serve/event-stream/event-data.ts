/** What a server-sent event says. */
export interface EventData {
  /** `message` if the event does not say. */
  readonly event: string | undefined;
  /** Undefined for comments and other events without data. */
  readonly data: string | undefined;
  /** What a client that lost the stream names to have the rest. */
  readonly id: string | undefined;
  /** How long such a client should wait first. */
  readonly retryMs: number | undefined;
}

const NEWLINE = /\r\n|\r|\n/;
const LF = 10;
const ONE_DATA_LINE = 'data: ';

/** Reads one event, as `createFrameSplitter` cuts them. */
export function readEvent(frame: Buffer): EventData {
  const text = frame.toString('utf8');
  // Nearly all events are one line of data.
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
