import { createLineSplitter } from '../../../../serve/mcp/line-splitter.ts';
import { ConnectionClosed } from '../connection.ts';
import { MAX_MESSAGE_BYTES } from '../transport.ts';

export interface StreamEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** What comes after it is lost as well. */
export class EventTooLong extends ConnectionClosed {
  constructor() {
    super(`The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`);
  }
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export async function* readEvents(body: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  const lines = createLineSplitter(MAX_MESSAGE_BYTES);
  let fields = noFields();
  for await (const chunk of body) {
    for (const line of lines.push(chunk)) {
      if ('tooLong' in line) throw new EventTooLong();
      const text = line.text.endsWith('\r') ? line.text.slice(0, -1) : line.text;
      if (text === '') {
        yield asEvent(fields);
        fields = noFields();
      } else addField(fields, text);
    }
  }
}

interface Fields {
  type: string;
  readonly data: string[];
  bytes: number;
  id: string | undefined;
  retryMs: number | undefined;
}

const noFields = (): Fields => ({ type: 'message', data: [], bytes: 0, id: undefined, retryMs: undefined });

const asEvent = ({ type, data, id, retryMs }: Fields): StreamEvent => ({
  type,
  data: data.join('\n'),
  id,
  retryMs,
});

function addField(fields: Fields, line: string): void {
  const colon = line.indexOf(':');
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
  if (name === 'data') {
    fields.bytes += value.length;
    if (fields.bytes > MAX_MESSAGE_BYTES) throw new EventTooLong();
    fields.data.push(value);
  } else if (name === 'event') fields.type = value;
  else if (name === 'id') fields.id = value;
  else if (name === 'retry' && /^\d+$/.test(value)) fields.retryMs = Number(value);
}
